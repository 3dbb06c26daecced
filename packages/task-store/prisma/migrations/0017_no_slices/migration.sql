-- Claims of one moment book on a run's budget once (decision 0011): workers need no slices of it.
DROP TABLE budget_slice;
