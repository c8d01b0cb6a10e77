import { FORMATS, type KitFormat, type Scenario } from '@headgate/conformance'
import type { Client } from './client.ts'

/** Callers of a format with a provider of a format: what every client that asks it was answered as it should be. */
export interface Cell {
  readonly caller: KitFormat
  readonly provider: KitFormat
  readonly scenario: string
  readonly unary: boolean
  readonly stream: boolean
}

/** One test of a client. */
export interface Shown {
  readonly client: Client
  readonly provider: KitFormat
  readonly scenario: Scenario
  readonly stream: boolean
}

/** The tests that passed, as the table that the documentation is made of. */
export function pairsOf(clients: readonly Client[], providers: readonly KitFormat[], passed: readonly Shown[]) {
  const scenarios = [...new Set(clients.flatMap((client) => client.scenarios))]
  const cellOf = (caller: KitFormat, provider: KitFormat, scenario: Scenario): Cell[] => {
    const asking = clients.filter((client) => client.format === caller && client.scenarios.includes(scenario))
    if (asking.length === 0) return []
    const shown = (stream: boolean) =>
      asking.every((client) =>
        passed.some(
          (one) =>
            one.client === client && one.provider === provider && one.scenario === scenario && one.stream === stream,
        ),
      )
    return [{ caller, provider, scenario: scenario.name, unary: shown(false), stream: shown(true) }]
  }
  const cells = FORMATS.flatMap((caller) =>
    providers.flatMap((provider) => scenarios.flatMap((scenario) => cellOf(caller, provider, scenario))),
  )
  return { callers: FORMATS, providers, scenarios: scenarios.map(({ name }) => name), cells }
}

/** What a file of results holds: lists of names, and what was shown of each combination. */
export interface Results {
  readonly cells: readonly object[]
  readonly [list: string]: readonly unknown[]
}

/** One cell a line, or one field where a line is too long, as the formatter leaves it. */
export function pairsFile({ cells, ...lists }: Results): string {
  const entries = [
    ...Object.entries(lists).map(([name, list]) => listOf(name, list)),
    `"cells": [\n${cells.map((cell) => `    ${lineOf(cell)}`).join(',\n')}\n  ]`,
  ]
  return `{\n${entries.map((entry) => `  ${entry}`).join(',\n')}\n}\n`
}

/** Characters of a line that the formatter allows. */
const WIDTH = 120

function listOf(name: string, list: readonly unknown[]): string {
  const items = list.map((one) => JSON.stringify(one))
  const line = `"${name}": [${items.join(', ')}]`
  return line.length + 3 <= WIDTH ? line : `"${name}": [\n${items.map((item) => `    ${item}`).join(',\n')}\n  ]`
}

function lineOf(cell: object): string {
  const fields = Object.entries(cell).map(([name, value]) => `"${name}": ${JSON.stringify(value)}`)
  const line = `{ ${fields.join(', ')} }`
  return line.length + 5 <= WIDTH ? line : `{\n${fields.map((field) => `      ${field}`).join(',\n')}\n    }`
}
