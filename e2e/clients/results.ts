import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { KitFormat } from '../../packages/conformance/src/families/chat/meaning.ts'
import type { Packages } from '../installation.ts'
import type { Spoken } from './client.ts'

const FILE = join(import.meta.dirname, 'results.json')

export type Kind = 'python' | 'javascript' | 'java' | 'runtimes' | 'agents'

/** Results of a client, by the provider's format and by check: `passed`, `unsigned`, or the problem. */
export type Verdicts = Readonly<Partial<Record<KitFormat, Readonly<Record<string, string>>>>>

export interface Result {
  /** Date of the test. */
  readonly date: string
  /** Format of the client. */
  readonly format: Spoken
  readonly packages: Packages
  readonly behind: Verdicts
}

/** Last result of each tested client. */
export type Results = Readonly<Record<Kind, Readonly<Record<string, Result>>>>

export const PASSED = 'passed'
/** Passed, but the signature of a call or of reasoning was not sent back: the model continues without it. */
export const UNSIGNED = 'unsigned'

export function readResults(): Results {
  const none: Results = { python: {}, javascript: {}, java: {}, runtimes: {}, agents: {} }
  return existsSync(FILE) ? { ...none, ...JSON.parse(readFileSync(FILE, 'utf8')) } : none
}

/** Replaces the result of a client. Results are in the order of the given names; results of other names are removed. */
export function keepResult(kind: Kind, name: string, result: Result, order: readonly string[]): void {
  const results = readResults()
  const kept = { ...results[kind], [name]: result }
  const ordered = Object.fromEntries(order.flatMap((one) => (kept[one] ? [[one, kept[one]]] : [])))
  writeFileSync(FILE, `${JSON.stringify({ ...results, [kind]: ordered }, undefined, 2)}\n`)
}

/** Problems, as messages. */
export function problemsOf(behind: Verdicts): string[] {
  return Object.entries(behind).flatMap(([format, checks]) =>
    Object.entries(checks).flatMap(([check, verdict]) => {
      return verdict === PASSED || verdict === UNSIGNED ? [] : [`${check} with a model behind ${format}: ${verdict}`]
    }),
  )
}

/** Shortened text on one line. */
export function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > 300 ? `${line.slice(0, 300)}…` : line
}
