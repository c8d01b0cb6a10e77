import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

const SHOWN = 10

/**
 * A reporter that names the files of a test run that took longest, at its end:
 * `vitest run --reporter=default --reporter=tools/slowest-files.ts`.
 */
export default class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    console.log(
      slowest(
        modules.map((module) => ({
          file: relative(process.cwd(), module.moduleId),
          milliseconds: module.diagnostic().duration,
        })),
      ),
    )
  }
}

export interface TimedFile {
  readonly file: string
  readonly milliseconds: number
}

/** A line each, the slowest first. */
export function slowest(files: readonly TimedFile[]): string {
  const shown = files.toSorted((a, b) => b.milliseconds - a.milliseconds).slice(0, SHOWN)
  const lines = shown.map(({ file, milliseconds }) => `${(milliseconds / 1000).toFixed(1).padStart(8)} s  ${file}`)
  return ['Slowest files', ...lines].join('\n')
}
