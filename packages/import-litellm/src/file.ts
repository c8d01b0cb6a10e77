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

/** A configuration of LiteLLM's proxy, as far as it is read. @see https://docs.litellm.ai/docs/proxy/configs */
export type LiteLLMFile = z.output<typeof file>
/** An entry of `model_list`: LiteLLM calls it a deployment. */
export type LiteLLMEntry = z.output<typeof entry>
export type Section = Readonly<Record<string, unknown>>

/**
 * Checks the parsed text of a configuration of LiteLLM's proxy.
 * @throws HeadgateError that begins with `path` and never quotes the value, since it may hold secrets.
 */
export function checkLiteLLM(value: unknown, path: string): LiteLLMFile {
  const result = file.safeParse(value ?? {})
  if (result.success) return result.data
  throw configError(path, problemsOf(result.error, { schema: file, value, secret: () => true }))
}

export function isSection(value: unknown): value is Section {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
