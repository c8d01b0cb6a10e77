import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseAllDocuments } from 'yaml'
import { findProgram } from './programs.ts'

/** Folder of the chart. */
export const CHART = join(import.meta.dirname, '../deploy/helm/headgate')

/** Newest minor versions of Kubernetes, which the chart is checked with. */
export const KUBERNETES = ['1.35', '1.36', '1.37'] as const

/** Program `helm`: from HEADGATE_HELM, otherwise installed. Undefined if it is missing. */
export const helm = findProgram('helm', 'HEADGATE_HELM')

/** Object of Kubernetes. */
export interface Manifest {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> }
  readonly spec?: Readonly<Record<string, unknown>>
  readonly data?: Readonly<Record<string, string>>
}

/** Output of helm. `code` is not 0 if it failed. */
export interface HelmResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs helm. @throws TypeError if it is not installed */
export function runHelm(args: readonly string[], input?: string): HelmResult {
  if (helm === undefined) throw new TypeError('helm is not installed.')
  const { status, stdout, stderr } = spawnSync(helm, args, { encoding: 'utf8', ...(input !== undefined && { input }) })
  return { code: status, stdout, stderr }
}

/**
 * Renders the chart with the name `test`.
 * @param values values in JSON or YAML. Default: values of the chart
 */
export function render(values: string, kubernetes: string = KUBERNETES[2]): HelmResult {
  return runHelm(['template', 'test', CHART, '--kube-version', kubernetes, '--values', '-'], values)
}

/** Objects in the output of helm. Numbers have the notation of YAML 1.1, as Kubernetes reads them. */
export function manifestsIn(text: string): Manifest[] {
  return parseAllDocuments(text, { version: '1.1' }).flatMap((document) => {
    const value: unknown = document.toJS()
    return value === null ? [] : [value as Manifest]
  })
}
