import { schemaOf, type WireShape } from './shape.ts'

/** Id of the format. */
export const ID = 'generate-content'

/** Signer of signatures without an envelope. */
export const SIGNER = 'gemini'

/**
 * Placeholder for the signature of a call that another model created, or whose signature is missing.
 * @see https://ai.google.dev/gemini-api/docs/thought-signatures
 */
export const NO_SIGNATURE = 'skip_thought_signature_validator'

/**
 * Vendor's rule for function names.
 * @see https://ai.google.dev/api/caching#FunctionDeclaration
 */
export const TOOL_NAME = { illegal: /[^a-zA-Z0-9_.:-]/g, max: 128, start: /^[a-zA-Z_]/ } as const

/**
 * Schema of the OpenAPI subset.
 * @see https://ai.google.dev/api/caching#Schema
 */
const SCHEMA_FIELDS: Record<string, WireShape> = {
  type: { names: ['TYPE_UNSPECIFIED', 'STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT', 'NULL'] },
  format: 'string',
  title: 'string',
  description: 'string',
  nullable: 'boolean',
  enum: { list: 'any' },
  required: { list: 'string' },
  propertyOrdering: { list: 'string' },
  minItems: 'number',
  maxItems: 'number',
  minProperties: 'number',
  maxProperties: 'number',
  minLength: 'number',
  maxLength: 'number',
  minimum: 'number',
  maximum: 'number',
  pattern: 'string',
  default: 'any',
  example: 'any',
}
const SCHEMA: WireShape = { fields: SCHEMA_FIELDS }
const INNER_SCHEMA: WireShape = { later: () => SCHEMA }
SCHEMA_FIELDS['items'] = INNER_SCHEMA
SCHEMA_FIELDS['properties'] = { map: INNER_SCHEMA }
SCHEMA_FIELDS['anyOf'] = { list: INNER_SCHEMA }

const BLOB: WireShape = { fields: { mimeType: 'string', data: 'string', displayName: 'string' } }
const FILE: WireShape = { fields: { fileUri: 'string', mimeType: 'string', displayName: 'string' } }

const PART: WireShape = {
  fields: {
    text: 'string',
    thought: 'boolean',
    thoughtSignature: 'string',
    inlineData: BLOB,
    fileData: FILE,
    functionCall: { fields: { id: 'string', name: 'string', args: 'object' } },
    functionResponse: {
      fields: {
        id: 'string',
        name: 'string',
        response: 'object',
        parts: { list: { fields: { inlineData: BLOB, fileData: FILE } } },
      },
    },
    executableCode: { fields: { id: 'string', language: 'string', code: 'string' } },
    codeExecutionResult: { fields: { id: 'string', outcome: 'string', output: 'string' } },
    toolCall: { fields: { id: 'string', toolType: 'string', args: 'object' } },
    toolResponse: { fields: { id: 'string', toolType: 'string', response: 'object' } },
    mediaResolution: { fields: { level: 'string' } },
    videoMetadata: 'object',
    partMetadata: 'object',
  },
}

const CONTENT: WireShape = { fields: { role: 'string', parts: { list: PART } } }

const TOOL: WireShape = {
  fields: {
    functionDeclarations: {
      list: {
        fields: {
          name: 'string',
          description: 'string',
          parameters: SCHEMA,
          parametersJsonSchema: 'object',
          response: 'object',
          responseJsonSchema: 'object',
          behavior: 'string',
        },
      },
    },
    googleSearch: { fields: { excludeDomains: { list: 'string' } } },
    codeExecution: 'object',
    urlContext: 'object',
  },
}

const LEVEL: WireShape = { names: ['THINKING_LEVEL_UNSPECIFIED', 'LOW', 'MEDIUM', 'HIGH', 'MINIMAL'] }
const MODE: WireShape = { names: ['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED'] }

const GENERATION_CONFIG: WireShape = {
  fields: {
    temperature: 'number',
    topP: 'number',
    topK: 'number',
    candidateCount: 'number',
    maxOutputTokens: 'number',
    stopSequences: { list: 'string' },
    seed: 'number',
    presencePenalty: 'number',
    frequencyPenalty: 'number',
    responseLogprobs: 'boolean',
    logprobs: 'number',
    responseMimeType: 'string',
    responseSchema: SCHEMA,
    responseJsonSchema: 'object',
    responseModalities: { list: 'string' },
    thinkingConfig: { fields: { includeThoughts: 'boolean', thinkingBudget: 'number', thinkingLevel: LEVEL } },
  },
}

const TOOL_CONFIG: WireShape = {
  fields: { functionCallingConfig: { fields: { mode: MODE, allowedFunctionNames: { list: 'string' } } } },
}

/**
 * Request body, with field names in camelCase. Callers can also use snake_case.
 * @see https://ai.google.dev/api/generate-content
 * @see https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference
 */
export const REQUEST: WireShape = {
  fields: {
    model: 'string',
    contents: { list: CONTENT },
    systemInstruction: CONTENT,
    generationConfig: GENERATION_CONFIG,
    tools: { list: TOOL },
    toolConfig: TOOL_CONFIG,
    safetySettings: { list: 'object' },
    cachedContent: 'string',
    labels: 'object',
    serviceTier: 'string',
  },
}

/** Request schema for documentation. */
export const requestSchema = schemaOf(REQUEST)
