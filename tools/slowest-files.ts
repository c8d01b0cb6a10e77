import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

const SHOWN = 10
/** Maximum length of the printed reason of a failed attempt. */
const REASON = 8_000

/**
 * Reporter that prints, at the end of a test run, the tests that passed only on a second attempt, with the reason, and
 * the slowest files: `vitest run --reporter=default --reporter=tools/slowest-files.ts`.
 */
export default class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules)
      for (const test of module.children.allTests())
        if (test.diagnostic()?.flaky) {
          console.log(`Passed on the second attempt: ${relative(process.cwd(), module.moduleId)} > ${test.fullName}`)
          for (const { message } of test.result().errors ?? []) console.log(`since ${message.slice(0, REASON)}`)
        }
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

/** Slowest files first, one per line. */
export function slowest(files: readonly TimedFile[]): string {
  const shown = files.toSorted((a, b) => b.milliseconds - a.milliseconds).slice(0, SHOWN)
  const lines = shown.map(({ file, milliseconds }) => `${(milliseconds / 1000).toFixed(1).padStart(8)} s  ${file}`)
  return ['Slowest files', ...lines].join('\n')
}
