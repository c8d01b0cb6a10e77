import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FormatId } from '../../packages/conformance/src/families/chat/meaning.ts'
import type { Packages } from '../installation.ts'
import type { Spoken } from './client.ts'

const FILE = join(import.meta.dirname, 'results.json')

export type Kind = 'python' | 'javascript' | 'java' | 'runtimes' | 'agents'

/**
 * How a client was tried, by the format of the provider and by what it was asked: `passed`, `unsigned`, or what went
 * wrong.
 */
export type Verdicts = Readonly<Partial<Record<FormatId, Readonly<Record<string, string>>>>>

export interface Result {
  /** The day on which it was tried. */
  readonly date: string
  /** What it speaks. */
  readonly format: Spoken
  readonly packages: Packages
  readonly behind: Verdicts
}

/** The last result of each client that was tried. */
export type Results = Readonly<Record<Kind, Readonly<Record<string, Result>>>>

export const PASSED = 'passed'
/** Passed, but the signature of a call or thought did not come back: the model goes on without it. */
export const UNSIGNED = 'unsigned'

export function readResults(): Results {
  const none: Results = { python: {}, javascript: {}, java: {}, runtimes: {}, agents: {} }
  return existsSync(FILE) ? { ...none, ...JSON.parse(readFileSync(FILE, 'utf8')) } : none
}

/** Keeps a result in the place of an older one, and all of the kind in the order of these names; others go. */
export function keepResult(kind: Kind, name: string, result: Result, order: readonly string[]): void {
  const results = readResults()
  const kept = { ...results[kind], [name]: result }
  const ordered = Object.fromEntries(order.flatMap((one) => (kept[one] ? [[one, kept[one]]] : [])))
  writeFileSync(FILE, `${JSON.stringify({ ...results, [kind]: ordered }, undefined, 2)}\n`)
}

/** What went wrong, in words. */
export function problemsOf(behind: Verdicts): string[] {
  return Object.entries(behind).flatMap(([format, checks]) =>
    Object.entries(checks).flatMap(([check, verdict]) => {
      return verdict === PASSED || verdict === UNSIGNED ? [] : [`${check} with a model behind ${format}: ${verdict}`]
    }),
  )
}

/** In one line. */
export function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > 300 ? `${line.slice(0, 300)}…` : line
}
