import { type EndpointPath, type EndpointRequest, formEntries } from '../endpoint/request.ts'
import { inShell, openaiClient, type SnippetTarget } from './clients.ts'
import { members, shortened } from './literal.ts'

/** Methods of the packages `openai` for JavaScript and Python. They have the same names. */
const METHODS: Readonly<Record<EndpointPath, string>> = {
  'images/generations': 'images.generate',
  'images/edits': 'images.edit',
  'audio/speech': 'audio.speech.create',
  'audio/transcriptions': 'audio.transcriptions.create',
  moderations: 'moderations.create',
}

/** File name of the sound in a response. */
function soundName({ fields }: EndpointRequest): string {
  return `speech.${typeof fields['response_format'] === 'string' ? fields['response_format'] : 'mp3'}`
}

/** Ending of the images in a response. */
function imageEnding({ fields }: EndpointRequest): string {
  return typeof fields['output_format'] === 'string' ? fields['output_format'] : 'png'
}

function definedFields({ fields }: EndpointRequest): readonly (readonly [string, unknown])[] {
  return Object.entries(fields).filter(([, value]) => value !== undefined)
}

/** Files by the name of their field in an SDK. */
function filesByField({ files = [] }: EndpointRequest): ReadonlyMap<string, { names: string[]; isList: boolean }> {
  const all = new Map<string, { names: string[]; isList: boolean }>()
  for (const { field, file, isList = false } of files) {
    const known = all.get(field) ?? { names: [], isList }
    all.set(field, { names: [...known.names, file.name], isList })
  }
  return all
}

/** `curl` command of a request. */
export function endpointCurl(request: EndpointRequest, { origin, variable }: SnippetTarget): string {
  const body = request.files
    ? formEntries(request).map(([name, value]) =>
        typeof value === 'string'
          ? `--form-string ${inShell(`${name}=${value}`)}`
          : `-F ${inShell(`${name}=@${formName(value.name)}`)}`,
      )
    : [
        "-H 'content-type: application/json'",
        `-d ${inShell(JSON.stringify(request.fields, (_, one: unknown) => (typeof one === 'string' ? shortened(one) : one), 2))}`,
      ]
  return [
    `curl ${inShell(`${origin}/v1/${request.path}`)}`,
    `-H "Authorization: Bearer $${variable}"`,
    ...body,
    ...(request.path === 'audio/speech' ? [`--output ${soundName(request)}`] : []),
  ].join(' \\\n  ')
}

/** Name of a file in a form of curl, which gives `;` and `,` a meaning outside of quotes. */
function formName(name: string): string {
  return /^[\w.-]+$/.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`
}

/** Code for the package `openai` of npm. */
export function endpointJavaScript(request: EndpointRequest, target: SnippetTarget): string {
  const files = [...filesByField(request)]
  const streams = files.map(([field, { names, isList }]) => {
    const opened = names.map((name) => `createReadStream(${JSON.stringify(name)})`)
    return `  ${field}: ${isList ? `[${opened.join(', ')}]` : opened[0]},`
  })
  const writes = request.path === 'audio/speech' || request.path.startsWith('images/')
  return [
    ...(files.length > 0 ? ["import { createReadStream } from 'node:fs'"] : []),
    ...(writes ? ["import { writeFile } from 'node:fs/promises'"] : []),
    openaiClient(target),
    `const answer = await client.${METHODS[request.path]}({`,
    [members(Object.fromEntries(definedFields(request))), ...streams].join('\n'),
    '})',
    javaScriptResult(request),
  ].join('\n')
}

function javaScriptResult(request: EndpointRequest): string {
  if (request.path === 'audio/speech')
    return `await writeFile('${soundName(request)}', Buffer.from(await answer.arrayBuffer()))`
  if (request.path === 'moderations') return 'console.log(answer.results)'
  if (request.path === 'audio/transcriptions') return 'console.log(answer)'
  return `for (const [index, { b64_json }] of (answer.data ?? []).entries())
  if (b64_json) await writeFile(\`image-\${index + 1}.${imageEnding(request)}\`, Buffer.from(b64_json, 'base64'))`
}

/** Code for the package `openai` of PyPI. */
export function endpointPython(request: EndpointRequest, { origin, variable, isStrict }: SnippetTarget): string {
  const hasImages = request.path.startsWith('images/')
  const files = [...filesByField(request)].map(([field, { names, isList }]) => {
    const opened = names.map((name) => `open(${JSON.stringify(name)}, "rb")`)
    return `    ${field}=${isList ? `[${opened.join(', ')}]` : opened[0]},`
  })
  const strict = isStrict ? ', default_headers={"headgate-strict": "true"}' : ''
  return [
    ...(hasImages ? ['import base64'] : []),
    'import os',
    'from openai import OpenAI',
    '',
    `client = OpenAI(base_url=${JSON.stringify(`${origin}/v1`)}, api_key=os.environ["${variable}"]${strict})`,
    `answer = client.${METHODS[request.path]}(`,
    ...definedFields(request).map(([name, value]) => `    ${name}=${pythonLiteral(value)},`),
    ...files,
    ')',
    pythonResult(request),
  ].join('\n')
}

function pythonResult(request: EndpointRequest): string {
  if (request.path === 'audio/speech') return `answer.write_to_file("${soundName(request)}")`
  if (request.path === 'moderations') return 'print(answer.results)'
  if (request.path === 'audio/transcriptions') return 'print(answer)'
  return `for index, image in enumerate(answer.data, start=1):
    if image.b64_json:
        with open(f"image-{index}.${imageEnding(request)}", "wb") as file:
            file.write(base64.b64decode(image.b64_json))`
}

/** Python literal of a value of JSON without booleans and null. */
function pythonLiteral(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => (typeof one === 'string' ? shortened(one) : one), 2).replaceAll(
    '\n',
    '\n    ',
  )
}
