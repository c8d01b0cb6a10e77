import { extname } from 'node:path'
import { configError, problemsOf } from '@headgate/discovery/config'
import { z } from 'zod'
import { readConfigFile } from '../config/file.ts'

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

/** Reads LiteLLM's configuration. Errors never quote it, since it may hold secrets. */
export async function readLiteLLMFile(path: string): Promise<LiteLLMFile> {
  const ending = extname(path)
  const allowed = ['.yaml', '.yml', '.json']
  if (!allowed.includes(ending))
    throw configError(path, [
      { path: '', message: `the ending ${ending || '(none)'} is not read; allowed: ${allowed.join(', ')}` },
    ])
  const value = await readConfigFile(path)
  const result = file.safeParse(value ?? {})
  if (result.success) return result.data
  throw configError(path, problemsOf(result.error, { schema: file, value, secret: () => true }))
}

export function isSection(value: unknown): value is Section {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
