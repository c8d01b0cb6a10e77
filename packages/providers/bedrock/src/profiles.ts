import type { ModelFacts } from '@headgate/core/provider'

/**
 * Regions in which inference profiles can be called, by the prefix of the profiles.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-support.html
 */
const REGIONS: Readonly<Record<string, RegExp>> = {
  us: /^(?:us-(?!gov)|ca-)/,
  eu: /^eu-/,
  jp: /^ap-northeast-[13]$/,
  au: /^ap-southeast-[24]$/,
  global: /^(?!us-gov-|cn-)/,
}

function prefixOf(id: string): string | undefined {
  const [prefix = ''] = id.split('.')
  return Object.hasOwn(REGIONS, prefix) ? prefix : undefined
}

/**
 * Models that can be called in a region. Profiles of its geography are before global ones. A model with profiles cannot
 * be called under its plain id.
 */
export function modelsIn(region: string, models: readonly ModelFacts[]): readonly ModelFacts[] {
  const profiled = new Set(
    models.flatMap(({ id }) => (prefixOf(id) === undefined ? [] : id.slice(id.indexOf('.') + 1))),
  )
  const callable = models.filter(({ id }) => {
    const prefix = prefixOf(id)
    return prefix === undefined ? !profiled.has(id) : REGIONS[prefix]?.test(region)
  })
  const isGlobal = ({ id }: ModelFacts): boolean => prefixOf(id) === 'global'
  return [...callable.filter((facts) => !isGlobal(facts)), ...callable.filter(isGlobal)]
}
