import type { MonthStatement } from '../../api/spend.ts'

type Line = MonthStatement['lines'][number]

/** Sums of a project in a month. Amounts are nano-dollars. */
export interface ProjectSum extends Pick<Line, 'project' | 'projectName'> {
  readonly requests: number
  readonly tokens: number
  readonly charged: bigint
  readonly cost: bigint
}

/** Sums of the lines of each project, the highest charge first. */
export function projectSums(lines: readonly Line[]): readonly ProjectSum[] {
  const byProject = Map.groupBy(lines, ({ project }) => project)
  return [...byProject.values()]
    .map((own): ProjectSum => {
      const amount = (of: (line: Line) => string): bigint => own.reduce((sum, line) => sum + BigInt(of(line)), 0n)
      const number = (of: (line: Line) => number): number => own.reduce((sum, line) => sum + of(line), 0)
      return {
        project: own[0]?.project ?? null,
        projectName: own[0]?.projectName ?? null,
        requests: number(({ sums }) => sums.requests),
        tokens: number(({ sums }) => sums.input + sums.output),
        charged: amount(({ sums }) => sums.charged),
        cost: amount(({ sums }) => sums.cost),
      }
    })
    .sort((one, other) => (one.charged > other.charged ? -1 : one.charged < other.charged ? 1 : 0))
}
