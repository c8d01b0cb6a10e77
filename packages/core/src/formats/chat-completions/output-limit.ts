import type { OutputLimit } from '../../canonical/format.ts'
import { generationOf, maxTokensField } from './models.ts'

/**
 * Servers that imitate the vendor have more names: llama.cpp lets `n_predict` win over `max_tokens`, and others read
 * the parameters of their own APIs as well.
 *
 * @see https://platform.openai.com/docs/api-reference/chat/create
 * @see https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
 */
export const outputLimit: OutputLimit = {
  name: 'max_tokens',
  advice: 'max_tokens and a whole number of answers',
  names: { outputs: ['max_completion_tokens', 'max_tokens'], counts: ['n', 'best_of'] },
  others: {
    outputs: ['n_predict', 'num_predict', 'max_new_tokens', 'max_gen_len', 'max_length', 'max_tokens_to_sample'],
    counts: ['n_cmpl', 'num_return_sequences', 'num_generations'],
    within: ['extra_body', 'options', 'parameters', 'sampling_params', 'inference_config', 'text_generation_config'],
  },
  edits: (_body, target, tokens) => [{ path: [maxTokensField(target, generationOf(target))], value: tokens }],
}
