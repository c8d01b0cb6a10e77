import type { FieldNames } from '../../canonical/field-names.ts'

/** Fields of this format by Headgate's names in losses. */
export const fieldNames: FieldNames = {
  arguments: ['functionCall.args'],
  cacheRead: ['cachedContentTokenCount'],
  detail: ['mediaResolution'],
  input: ['promptTokenCount'],
  is_error: ['functionResponse.response.error'],
  media_type: ['inlineData.mimeType', 'fileData.mimeType'],
  name: ['functionCall.name', 'inlineData.displayName', 'fileData.displayName'],
  output: ['candidatesTokenCount'],
  parameters: ['parametersJsonSchema'],
  reasoning: ['thoughtsTokenCount'],
  show: ['includeThoughts'],
  stop_details: ['finishMessage'],
  usage: ['usageMetadata'],
  signature: ['thoughtSignature'],
}
