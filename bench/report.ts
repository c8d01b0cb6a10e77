import { cpus } from 'node:os'
import type { FirstText } from './first-text.ts'

/** Measurement of a target in a scenario. */
export interface Figure {
  readonly scenario: string
  readonly target: string
  /** CPU time of the whole process per request in microseconds: median of the rounds. */
  readonly cpu: number
  /** CPU time in multiples of the floor, computed per round: median. */
  readonly ratio: number
  /** CPU time of the main thread, which serves requests. */
  readonly main: number
  readonly mainRatio: number
  /** Interval of the median of `mainRatio`, 95 %. */
  readonly mainInterval: readonly [low: number, high: number]
  /** Maximum of `mainRatio`. */
  readonly budget?: number
  readonly p50: number
  readonly p99: number
  /** Resident memory after the last round in megabytes. */
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
    'One request at a time, without load: median microseconds from the request to the first text of its stream.',
    '',
    '| stream | floor | headgate | added |',
    '| --- | ---: | ---: | ---: |',
    ...figures.map(
      (one) => `| ${one.scenario} | ${number(one.floor)} | ${number(one.headgate)} | ${number(one.added)} |`,
    ),
    '',
  ].join('\n')
}

/** Further facts of a report. */
export interface Facts {
  readonly versions: Readonly<Record<string, string>>
  readonly firstTexts: readonly FirstText[]
  readonly streams: { readonly open: number; readonly memory: number } | undefined
  readonly notes: readonly string[]
}

/** Date and environment of the measurement. */
export function measuredOn(versions: Facts['versions']): string {
  const names = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  return `${new Date().toISOString().slice(0, 10)}: ${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores; ${names.join(', ')}`
}

/** Page `bench/figures.md`: all measurements, for contributors. */
export function report(figures: readonly Figure[], facts: Facts, measured: string): string {
  const scenarios = [...new Set(figures.map((figure) => figure.scenario))]
  const tables = scenarios.map((name) =>
    [
      `### ${name}`,
      '',
      '| gateway | main thread, µs per request | × floor | within budget | process, µs per request | × floor | p50 ms | p99 ms | RSS MB |',
      '| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: |',
      ...figures.filter((figure) => figure.scenario === name).map(row),
      '',
    ].join('\n'),
  )
  return `# Cost of a request: all figures

<!-- Written by \`pnpm bench\`. Do not edit by hand. -->

CPU time per request of the main thread, which serves requests, and of the whole process, whose other threads write the store, read from
\`/proc\`, with 64 connections on loopback. All processes share the cores. The **floor** is a bare
\`node:http\` server that forwards the request through undici's \`Pool.dispatch\` and writes the response through; in the
translated streams, it also splits the events, and parses and serializes each. Headgate runs with the features of the program:
authentication, routing, metering, a usage row in the journal before the end of each response and in SQLite soon after, and the access log.
Ratios are computed per round, so that a drift of the machine's speed does not change them.

Measured on ${measured}.

${tables.join('\n')}
${firstTextTable(facts.firstTexts)}
${facts.streams ? `### Open streams\n\n${facts.streams.open} streams with one event per second were open at the same time; Headgate's process used ${number(facts.streams.memory)} MB (budget: 600 MB).\n` : ''}
${facts.notes.map((note) => `- ${note}`).join('\n')}
`
}
