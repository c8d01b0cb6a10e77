/** Why a recorded request may be refused by a provider of another format: no other reason is right. */
export const REFUSALS: readonly RegExp[] = [
  // Sounds and films that the provider's models do not take: to leave them out would change what is asked.
  /^Models behind the messages format take no (audio|video)\./,
  / is a video, which this model does not support\./,
  /is audio, which this model does not support\./,
  // Spoken answers, which only chat completions have.
  /^modalities contains "audio", /,
  // Several answers to one request, where the provider gives one.
  /^(Models with the messages format create|The responses format creates) only one choice per request\./,
  // Files that only the provider that issued their id can read.
  /^The file id was issued by another provider, /,
  / is (the id of a file at|a file of) another provider\./,
  // Containers that an earlier answer has left at the provider that made it.
  / refers to data at the provider .+, which does not serve this request\./,
  // Addresses of documents, which chat completions can not open, and which were not to be fetched.
  / is a URL, which this provider does not support for documents\./,
  / could not be (fetched|downloaded)/,
  // Documents that other vendors do not read.
  / is a document of (type [\w./+-]+, which this model does not support|[\w./+-]+)\. Send PDF or text\./,
  // Tools that one provider runs itself and the other has not.
  / runs at another provider, and this one has no equivalent\./,
  /: the hosted tool ".+" is not supported by this provider\./,
  / asks for the tool ".+", which Gemini does not run\./,
  // Servers and tools that are added in the middle of a conversation: without them it is another request.
  / is not supported by providers of another format\. /,
  // Requests that no provider would answer: no turn of the user, words that the format does not know, content that is
  // missing.
  /^messages has no content to respond to\./,
  /^tool_choice is ".+", which is not supported\./,
  /^contents\[0\]\.role is ".+"\. It must be /,
  /^messages\[\d+\]\.content\[\d+\]\.type is missing\./,
  /^messages\[\d+\]\.content is null\./,
]
