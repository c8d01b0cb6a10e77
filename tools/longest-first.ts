import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take minutes on any machine. A run would else end with one of them alone. */
const LONGEST = ['apps/server/test/openapi-fuzzing.test.ts']

const isLongest = ({ moduleId }: TestSpecification): number => Number(LONGEST.some((file) => moduleId.endsWith(file)))

/** The order of test files: the longest first, the others as ever. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => isLongest(b) - isLongest(a))
  }
}
