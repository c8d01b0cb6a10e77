import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take minutes on any machine. Started last, they would run alone at the end. */
const LONGEST = ['apps/server/test/openapi-fuzzing.test.ts']

const isLongest = ({ moduleId }: TestSpecification): number => Number(LONGEST.some((file) => moduleId.endsWith(file)))

/** Order of test files: the longest first, the others in the default order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => isLongest(b) - isLongest(a))
  }
}
