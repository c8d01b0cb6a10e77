import { pathText } from '@headgate/discovery/config'
import { isSection, type Section } from './file.ts'
import type { Remark } from './report.ts'
import { type ProviderLoaded, takes } from './serving.ts'
import type { SecretVariables } from './variables.ts'
import type { NamedModel, VendorField } from './vendor-fields.ts'
import type { LiteLLMVendor } from './vendors.ts'

export interface FieldsContext {
  readonly variables: SecretVariables
  /** Parameters that apply to all entries, from `litellm_settings`. */
  readonly shared: Section
  remark(kind: Remark['kind'], path: readonly PropertyKey[], text: string): void
}

interface FieldPlace {
  readonly adapter: ProviderLoaded
  readonly vendor: LiteLLMVendor | undefined
  readonly word: string
  readonly path: readonly PropertyKey[]
  readonly model: NamedModel
}

interface ProviderFields {
  readonly fields: Readonly<Record<string, unknown>>
  /** Parameters that are covered by the fields. */
  readonly carried: ReadonlySet<string>
  /** True if the fields contain a key or another credential, so that none is needed from the environment. */
  readonly hasCredential: boolean
  /** True if the fields contain a credential other than the key. */
  readonly hasAccount: boolean
}

/** Versions that select the v1 API of Azure in LiteLLM. */
const UNDATED: ReadonlySet<unknown> = new Set(['v1', 'preview', 'latest'])

/** Key, headers and vendor-specific fields of a provider, from the parameters of an entry. */
export function otherFields(given: Section, place: FieldPlace, context: FieldsContext): ProviderFields {
  const fields = new Map<string, unknown>()
  const carried = new Set<string>()
  const entries = Object.entries(place.vendor?.fields ?? {}).filter(([, { field }]) => takes(place.adapter, field))
  let hasAccount = false
  for (const [parameter, field] of entries) {
    carried.add(parameter)
    if (parameter === 'api_version' && UNDATED.has(given[parameter])) continue
    const written = writtenValue(given, parameter, field, place, context)
    const value = written ?? place.model.fields?.[field.field] ?? absentValue(field, fields, context.variables)
    if (value === undefined) continue
    fields.set(field.field, value)
    hasAccount ||=
      written !== undefined && (field.isSecret === true || field.isFile === true || field.field === 'profile')
  }
  const key = takes(place.adapter, 'apiKey') ? keyOf(given, place, hasAccount, context) : undefined
  if (key !== undefined) fields.set('apiKey', key)
  addGeneral(fields, given, place, context)
  return { fields: Object.fromEntries(fields), carried, hasCredential: hasAccount || key !== undefined, hasAccount }
}

/** Value of a parameter in the file. */
function writtenValue(
  given: Section,
  parameter: string,
  field: VendorField,
  { path, word }: FieldPlace,
  context: FieldsContext,
): string | undefined {
  const { variables, shared } = context
  const isOwn = given[parameter] !== undefined && given[parameter] !== null
  const value = isOwn ? given[parameter] : shared[parameter]
  const place = isOwn ? pathText([...path, parameter]) : pathText(['litellm_settings', parameter])
  if (field.isFile) return fileText(value, place, context)
  return field.isSecret ? variables.secret(value, place, `${word}_${parameter}`.toUpperCase()) : variables.text(value)
}

/** Value of a field that the file does not have, from the variable that LiteLLM uses. */
function absentValue(
  field: VendorField,
  fields: ReadonlyMap<string, unknown>,
  variables: SecretVariables,
): string | undefined {
  const { variables: names, usual, isOptional, unless = [] } = field
  if (names === undefined || unless.some((one) => fields.has(one))) return undefined
  const isSet = names.some((name) => variables.valueOf(name) !== undefined)
  return isSet || (usual === undefined && !isOptional) ? variables.named(names) : usual
}

/** Reference to a credentials file. LiteLLM accepts a path, the content or a section. */
function fileText(value: unknown, place: string, { variables }: FieldsContext): string | undefined {
  const wanted = 'GOOGLE_CREDENTIALS'
  if (isSection(value)) return variables.secret(JSON.stringify(value), place, wanted)
  if (typeof value !== 'string' || value === '') return undefined
  if (value.trim().startsWith('{')) return variables.secret(value, place, wanted)
  const name = /^os\.environ\/(.+)$/.exec(value)?.[1]
  // The adapter reads the file of this variable itself.
  if (name === 'GOOGLE_APPLICATION_CREDENTIALS') return undefined
  if (name !== undefined && variables.valueOf(name)?.trim().startsWith('{')) return variables.text(value)
  return variables.fileText(value, name ?? place, wanted)
}

function keyOf(
  given: Section,
  place: FieldPlace,
  hasAccount: boolean,
  { variables }: FieldsContext,
): string | undefined {
  const { vendor, word, path } = place
  const keys = vendor ? vendor.keys : [`${word.toUpperCase()}_API_KEY`]
  const said = given['api_key']
  const wanted = keys?.[0] ?? `${word.toUpperCase().replace(/\W/g, '_')}_API_KEY`
  if (said !== undefined && said !== null) return variables.secret(said, pathText([...path, 'api_key']), wanted)
  const isSet = keys?.some((name) => variables.valueOf(name) !== undefined)
  return keys === undefined || hasAccount || (vendor?.isKeyOptional && !isSet) ? undefined : variables.named(keys)
}

/** Adds fields that several adapters have. */
function addGeneral(
  fields: Map<string, unknown>,
  given: Section,
  { adapter, path }: FieldPlace,
  context: FieldsContext,
): void {
  const { variables, remark } = context
  const { organization, extra_headers: headers } = given
  if (typeof organization === 'string' && takes(adapter, 'organization'))
    fields.set('organization', variables.text(organization))
  else if (organization !== undefined && organization !== null)
    remark('left', [...path, 'organization'], 'the provider has no such field in Headgate')
  if (isSection(headers) && takes(adapter, 'headers')) {
    const entries = Object.entries(headers).flatMap(([name, value]) => {
      const text = variables.secret(
        value,
        pathText([...path, 'extra_headers', name]),
        `HEADER_${name.toUpperCase().replace(/\W/g, '_')}`,
      )
      return text === undefined ? [] : [[name, text]]
    })
    fields.set('headers', Object.fromEntries(entries))
  } else if (headers !== undefined && headers !== null)
    remark('left', [...path, 'extra_headers'], 'this provider does not support configured headers')
}
