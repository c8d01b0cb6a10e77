import { isDeepStrictEqual } from 'node:util'
import type { TranscriptionAbilities } from '@headgate/core/provider'
import type { Check } from '../../checks/check.ts'
import type { TranscriptMeaning } from './facts.ts'
import type { TranscriptionTarget } from './target.ts'
import { asked, said } from './transcript.ts'

interface TranscriptOption {
  readonly field: string
  readonly values: readonly string[]
  /** Value as the vendor understood it. */
  read(meaning: TranscriptMeaning): unknown
  readonly due: unknown
  /** Ability that the option requires; absent = all models support it. */
  readonly ability?: 'prompt' | 'keywords' | 'temperature'
}

const OPTIONS: readonly TranscriptOption[] = [
  { field: 'language', values: ['de'], read: ({ language }) => language, due: 'de' },
  {
    field: 'prompt',
    values: ['Ein Gespräch über 狐.'],
    read: ({ prompt }) => prompt,
    due: 'Ein Gespräch über 狐.',
    ability: 'prompt',
  },
  {
    field: 'keywords[]',
    values: ['Größe', 'New York'],
    read: ({ keywords }) => keywords,
    due: ['Größe', 'New York'],
    ability: 'keywords',
  },
  { field: 'temperature', values: ['0'], read: ({ temperature }) => temperature, due: 0, ability: 'temperature' },
]

/** Each option alone, so that a problem has one cause. */
export const optionsCheck: Check<TranscriptionTarget> = {
  name: 'sends the options that it supports, and declares others as lost',
  async run(target) {
    const findings: string[] = []
    for (const option of OPTIONS) findings.push(...(await optionProblems(target, option)))
    return findings
  },
}

async function optionProblems(target: TranscriptionTarget, option: TranscriptOption): Promise<string[]> {
  const { field, values, read, due, ability } = option
  const { got, vendor } = await asked(
    target,
    values.map((value) => [field, value] as const),
  )
  const [meaning] = vendor.asked
  if (got.status !== 200 || !meaning)
    return [`With \`${field}\`, callers get ${said(got)} ${vendor.refusals.join('; ')}`]
  const surcharge = ability === 'keywords' ? target.transcription.can.surcharges?.keywords : undefined
  if (surcharge !== undefined && target.harness.rows.at(-1)?.usage?.units?.[surcharge] === undefined)
    return [
      `The vendor bills \`${field}\` in addition, but the usage row has no \`${surcharge}\`: add it to \`can.surcharges\`.`,
    ]
  const isLost = got.headers['headgate-lost']?.includes(field) === true
  const isSent = isDeepStrictEqual(read(meaning), due)
  if (ability === undefined || target.transcription.can[ability]) {
    if (isSent && !isLost) return []
    return [
      isLost
        ? `The vendor supports \`${field}\`, but headgate-lost names it: add it to \`can\`.`
        : `The vendor understood ${JSON.stringify(read(meaning))} for \`${field}\`, expected ${JSON.stringify(due)}: fix \`transcription.request\`.`,
    ]
  }
  return [
    ...(isLost ? [] : [`The vendor has no \`${field}\`, but headgate-lost does not name it: remove it from \`can\`.`]),
    ...(read(meaning) === undefined || isDeepStrictEqual(read(meaning), [])
      ? []
      : [`The vendor has no \`${field}\`, but it was sent: fix \`transcription.request\`.`]),
  ]
}

const NAMES = ['times', 'speakers', 'translates', 'prompt', 'keywords', 'temperature', 'maxBytes', 'maxMs'] as const

/** Capabilities that the facts and the adapter state differently. */
export const abilitiesCheck: Check<TranscriptionTarget> = {
  name: 'declares the capabilities of its model',
  async run({ harness: { provider }, transcription: { model, can: due } }) {
    const can = provider.transcription?.can
    const found: TranscriptionAbilities = (typeof can === 'function' ? can(model) : can) ?? {}
    return NAMES.filter((name) => stated(found, name) !== stated(due, name)).map(
      (name) =>
        `\`can.${name}\` is ${JSON.stringify(found[name])}, but the facts of the test have ${JSON.stringify(due[name])}.`,
    )
  },
}

/** Absent is the same as `none` or false. */
function stated(abilities: TranscriptionAbilities, name: (typeof NAMES)[number]): unknown {
  const value = abilities[name]
  return value === 'none' || value === false ? undefined : value
}
