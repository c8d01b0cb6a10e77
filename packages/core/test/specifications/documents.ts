import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { isObject, type Json } from '../../src/canonical/json.ts'

const recordings = process.env['HEADGATE_RECORDINGS']
const beside = recordings && join(recordings, '..', 'specs')

/**
 * Folder of the vendors' specifications: `HEADGATE_SPECS`, else `specs` next to the recordings; undefined where neither
 * exists.
 */
export const specifications: string | undefined =
  process.env['HEADGATE_SPECS'] || (beside && existsSync(beside) ? beside : undefined)

const documents = new Map<string, Json>()

/** A document of the folder, YAML or JSON, parsed once. */
export function readDocument(file: string): Json {
  const known = documents.get(file)
  if (known) return known
  const source = readFileSync(join(specifications ?? '', file), 'utf8')
  const document = (file.endsWith('.json') ? JSON.parse(source) : parse(source)) as Json
  documents.set(file, document)
  return document
}

/** The named schemas of a document. */
export function schemasOf(document: Json): Json {
  const components = document['components']
  const schemas = isObject(components) ? components['schemas'] : undefined
  return isObject(schemas) ? schemas : {}
}
