import type { OutputLimit } from '../../canonical/format.ts'
import { generationOf, maxTokensField } from './models.ts'

/**
 * Limits of the output. Servers that imitate the vendor have further names: in llama.cpp, `n_predict` overrides
 * `max_tokens`, and others also read their native parameters.
 * @see https://platform.openai.com/docs/api-reference/chat/create
 * @see https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
 */
export const outputLimit: OutputLimit = {
  name: 'max_tokens',
  advice: 'max_tokens, and an integer as number of choices',
  names: { outputs: ['max_completion_tokens', 'max_tokens'], counts: ['n', 'best_of'] },
  others: {
    outputs: ['n_predict', 'num_predict', 'max_new_tokens', 'max_gen_len', 'max_length', 'max_tokens_to_sample'],
    counts: ['n_cmpl', 'num_return_sequences', 'num_generations'],
    within: ['extra_body', 'options', 'parameters', 'sampling_params', 'inference_config', 'text_generation_config'],
  },
  edits: (_body, target, tokens) => [{ path: [maxTokensField(target, generationOf(target))], value: tokens }],
}
