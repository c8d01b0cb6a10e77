import { configError, problemsOf } from '@headgate/discovery/config'
import { z } from 'zod'

const section = z.record(z.string(), z.unknown()).nullish()

const credential = z.looseObject({ credential_name: z.string(), credential_values: section })

const entry = z.looseObject({
  model_name: z.string().min(1),
  litellm_params: z.looseObject({ model: z.string().min(1) }),
  model_info: section,
})

const file = z.looseObject({
  model_list: z.array(entry).nullish(),
  credential_list: z.array(credential).nullish(),
  litellm_settings: section,
  router_settings: section,
  general_settings: section,
  environment_variables: section,
})

/**
 * Configuration of LiteLLM's proxy, limited to the fields that are read. @see
 * https://docs.litellm.ai/docs/proxy/configs
 */
export type LiteLLMFile = z.output<typeof file>
/** Entry of `model_list`, called a deployment in LiteLLM. */
export type LiteLLMEntry = z.output<typeof entry>
export type Section = Readonly<Record<string, unknown>>

/**
 * Validates the parsed configuration of LiteLLM's proxy.
 * @throws HeadgateError that begins with `path` and never quotes values, which may be secret.
 */
export function checkLiteLLM(value: unknown, path: string): LiteLLMFile {
  const result = file.safeParse(value ?? {})
  if (result.success) return result.data
  throw configError(path, problemsOf(result.error, { schema: file, value, secret: () => true }))
}

export function isSection(value: unknown): value is Section {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
