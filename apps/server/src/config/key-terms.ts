import { families } from '@headgate/gateway'
import {
  everyRight,
  isLabel,
  isNetwork,
  KEY_RIGHTS,
  KEY_SETTINGS,
  type KeyRight,
  type KeyRightName,
  MAX_WEIGHT,
  SERVICE_CLASSES,
  TRACINGS,
} from '@headgate/gateway/ports'
import { z } from 'zod'

/**
 * Permissions of a key in addition to calling models and searching: reading metrics, and managing people, keys and
 * budgets.
 */
export const SCOPES = ['metrics', 'admin'] as const

const FAMILIES = families.filter(({ kind }) => kind !== 'gateway').map(({ id }) => id)

/** Values of one right of a key. Names of models, search engines and providers can be any string. */
function keyList(name: KeyRightName): z.ZodType<string[]> {
  if (name === 'scopes') return z.array(z.enum(SCOPES)).min(1)
  if (name === 'families') return z.array(z.enum(FAMILIES)).min(1)
  const { entries, values }: KeyRight = KEY_RIGHTS[name]
  if (values) return z.array(z.enum(values)).min(1)
  const entry = z.string().min(1)
  if (entries === 'networks')
    return z.array(entry.refine(isNetwork, 'an IP address or network, such as 192.0.2.0/24')).min(1)
  if (entries === 'labels') return z.array(entry.refine(isLabel, 'a label and its value, such as region=eu')).min(1)
  return z.array(entry).min(1)
}

/** Environment and rights of a key. */
export const keyTerms = {
  environment: z
    .string()
    .regex(/^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/, 'at most 32 lower-case letters, digits and dashes')
    .exactOptional()
    .describe('Environment of the key: `development`, `staging`, `production` or another name. Default: `production`.'),
  ...everyRight((name, { description }) => keyList(name).exactOptional().describe(description)),
  class: z.enum(SERVICE_CLASSES).exactOptional().describe(`${KEY_SETTINGS.class.description} Default: \`normal\`.`),
  weight: z.int().min(1).max(MAX_WEIGHT).exactOptional().describe(`${KEY_SETTINGS.weight.description} Default: 1.`),
  tracing: z.enum(TRACINGS).exactOptional().describe(`${KEY_SETTINGS.tracing.description} Default: \`parent\`.`),
}
