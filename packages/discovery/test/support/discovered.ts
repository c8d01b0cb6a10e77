import { mkdirSync, symlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import { findAdapterPackages } from '../../src/packages.ts'
import { findAdapters } from '../../src/registry.ts'
import { temporaryFolder } from './temporary.ts'

/** A program without adapters of its own, elsewhere. */
export function bareProgram(): string {
  return temporaryFolder({ 'package.json': { name: 'program' } })
}

export function find(
  folder: string,
  program = bareProgram(),
  environment: Readonly<Record<string, string>> = {},
): string[] {
  return findAdapterPackages({ folder, program, environment }).map(({ name }) => name)
}

/** With what is said of the others. */
export function found(folder: string): { names: string[]; skipped: string[] } {
  const skipped: string[] = []
  const packages = findAdapterPackages({ folder, program: bareProgram(), environment: {} }, (sentence) =>
    skipped.push(sentence),
  )
  return { names: packages.map(({ name }) => name), skipped }
}

export function load(folder: string, options: { only?: string[]; program?: string; fromSource?: boolean } = {}) {
  const { only, program = bareProgram(), fromSource = false } = options
  return findAdapters(findAdapterPackages({ folder, program, environment: {} }), { only, fromSource })
}

export function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  symlinkSync(target, path)
}
