import { type Json, object } from './json.ts'
import { count, type Usage } from './usage.ts'

/**
 * Tokens of a response with images in OpenAI's shape; undefined if it reports none. Without details, all output is of
 * images.
 * @example imageTokens({ usage: { input_tokens: 10, output_tokens: 196 } }) // { input: 10, output: 196, imageOutput: 196 }
 */
export function imageTokens({ usage }: Json): Usage | undefined {
  const own = object(usage) ?? {}
  const [input, output] = [count(own['input_tokens']), count(own['output_tokens'])]
  if (input === undefined || output === undefined) return undefined
  const inputs = object(own['input_tokens_details']) ?? {}
  const outputs = object(own['output_tokens_details']) ?? {}
  const imageInput = count(inputs['image_tokens'])
  const cacheRead = count(inputs['cached_tokens'])
  return {
    input,
    output,
    imageOutput: count(outputs['image_tokens']) ?? output,
    ...(imageInput !== undefined && { imageInput }),
    ...(cacheRead !== undefined && { cacheRead }),
  }
}
