import { cpus } from 'node:os'
import type { FirstText } from './first-text.ts'

/** What one target showed in one scenario. */
export interface Figure {
  readonly scenario: string
  readonly target: string
  /** Microseconds of CPU a request, of the whole process: median of the rounds. */
  readonly cpu: number
  /** In multiples of the floor's, round by round: median. */
  readonly ratio: number
  /** The same of the main thread alone, which answers requests. */
  readonly main: number
  readonly mainRatio: number
  /** The most that `mainRatio` may be. */
  readonly budget?: number
  readonly p50: number
  readonly p99: number
  /** Megabytes resident after the last round. */
  readonly memory: number
}

const number = (value: number, digits = 0): string => value.toFixed(digits)

function row(figure: Figure): string {
  const within =
    figure.budget === undefined ? '' : `${figure.mainRatio <= figure.budget ? 'yes' : 'no'} (≤ ${figure.budget})`
  return `| ${figure.target} | ${number(figure.main)} | ${number(figure.mainRatio, 2)} | ${within} | ${number(figure.cpu)} | ${number(figure.ratio, 2)} | ${number(figure.p50, 2)} | ${number(figure.p99, 2)} | ${number(figure.memory)} |`
}

function firstTextTable(figures: readonly FirstText[]): string {
  return [
    '### Time to the first text',
    '',
    'One request at a time, without load: microseconds from the request until the first text of its stream is here, medians.',
    '',
    '| stream | floor | headgate | added |',
    '| --- | ---: | ---: | ---: |',
    ...figures.map(
      (one) => `| ${one.scenario} | ${number(one.floor)} | ${number(one.headgate)} | ${number(one.added)} |`,
    ),
    '',
  ].join('\n')
}

/** What a report says beside the figures. */
export interface Facts {
  readonly versions: Readonly<Record<string, string>>
  readonly firstTexts: readonly FirstText[]
  readonly streams: { readonly open: number; readonly memory: number } | undefined
  readonly notes: readonly string[]
}

/** When and on what the figures were measured. */
export function measuredOn(versions: Facts['versions']): string {
  const names = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  return `${new Date().toISOString().slice(0, 10)}: ${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores; ${names.join(', ')}`
}

/** The page `bench/figures.md`: every figure, for those who work on Headgate. */
export function report(figures: readonly Figure[], facts: Facts, measured: string): string {
  const scenarios = [...new Set(figures.map((figure) => figure.scenario))]
  const tables = scenarios.map((name) =>
    [
      `### ${name}`,
      '',
      '| gateway | main thread, µs a request | × floor | within budget | process, µs a request | × floor | p50 ms | p99 ms | RSS MB |',
      '| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: |',
      ...figures.filter((figure) => figure.scenario === name).map(row),
      '',
    ].join('\n'),
  )
  return `# What a request costs, in full

<!-- Written by \`pnpm bench\`. Do not edit by hand. -->

CPU time per request of the main thread, which answers, and of the whole process, whose other threads write the store, read from
\`/proc\`, with 64 connections on loopback, on cores that all share. The **floor** is a bare
\`node:http\` server that forwards the request through undici's \`Pool.dispatch\` and writes the answer through; in the
translated streams the floor also splits the events and parses and serializes each. Headgate runs as its program does:
authentication, routing, metering, a usage row in the journal before the end of each answer and in SQLite soon after, and the access log.
Ratios are taken round by round, so that a machine whose speed drifts does not change them.

Measured on ${measured}.

${tables.join('\n')}
${firstTextTable(facts.firstTexts)}
${facts.streams ? `### Open streams\n\n${facts.streams.open} streams that an upstream feeds once a second were open at once; Headgate's process was ${number(facts.streams.memory)} MB large (budget: 600 MB).\n` : ''}
${facts.notes.map((note) => `- ${note}`).join('\n')}
`
}
