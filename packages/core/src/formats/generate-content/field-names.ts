import type { FieldNames } from '../../chat/field-names.ts'

/** Where this format has what losses call by Headgate's words. */
export const fieldNames: FieldNames = {
  arguments: ['functionCall.args'],
  detail: ['mediaResolution'],
  is_error: ['functionResponse.response.error'],
  media_type: ['inlineData.mimeType', 'fileData.mimeType'],
  name: ['functionCall.name', 'inlineData.displayName', 'fileData.displayName'],
  parameters: ['parametersJsonSchema'],
  show: ['includeThoughts'],
  stop_details: ['finishMessage'],
  usage: ['usageMetadata'],
  signature: ['thoughtSignature'],
}
