/** Environment variable of the tests' processes: the folder of the database cluster that the benches copy. */
export const clusterVariable = 'BATON_TEST_CLUSTER';
