/** What green gates said of trees, by repository, tree, gate and set-up; null: a gate is red there or says no such figure. The last 200. */
export type HeadFigures<Figure> = Map<string, Figure | null>;
