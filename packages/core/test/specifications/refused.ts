import { REFUSALS } from '../recordings/refusals.ts'

/** Why a generated request may be refused. Specifications allow more than vendors take. */
export const REFUSED: readonly RegExp[] = [
  ...REFUSALS,
  // Fields that need each other, or exclude each other.
  /^top_logprobs requires logprobs\./,
  / has both \w+ and \w+\. Send one of them\./,
  // Fields that the vendor demands, though its specification does not.
  / is missing\. Send /,
  / is a document of unknown type\./,
  // Media where text only may be.
  / is a media block, which is not allowed in a system (message|prompt), which contains only text\./,
  // Results whose call was left out with what was refused around it.
  / refers to the call ".*", which is not in the conversation\./,
  / names the tool ".*", which is not declared in the tools\./,
]
