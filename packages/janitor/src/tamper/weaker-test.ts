/** One way in which tests prove less, and the files in which they do. */
export interface WeakerTest {
  text: string;
  paths: string[];
}
