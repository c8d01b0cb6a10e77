import { type Json, number, text } from '../../canonical/json.ts'
import type { FunctionTool } from '../../canonical/request.ts'
import { extensionsOf, unknownFields } from '../../canonical/vendor-extensions.ts'
import { ID } from './wire.ts'

/** Public description of a tool whose schema the vendor's models have built in. */
type ToolDescription = Pick<FunctionTool, 'description'> & { readonly schema: Json }

const TYPE = /^(bash|text_editor|memory|computer)_(\d{8})$/

/** Fields that the name, description and schema of the function cover. */
const KNOWN: ReadonlySet<string> = new Set([
  ...['name', 'cache_control', 'max_characters', 'display_width_px', 'display_height_px', 'enable_zoom'],
])

/**
 * Function for a tool that the vendor defines and the caller runs, with the schema that the vendor publishes. Other
 * vendors' models can then call it. Undefined for other tools.
 */
export function readClientTool(item: Json, at: string): FunctionTool | undefined {
  const type = text(item['type']) ?? ''
  const [, kind, version = ''] = TYPE.exec(type) ?? []
  const name = text(item['name'])
  if (kind === undefined || name === undefined) return undefined
  const extensions = extensionsOf(ID, unknownFields(item, KNOWN))
  return {
    type: 'function',
    at,
    name,
    ...described(kind, version, item),
    vendors: item,
    ...(extensions && { extensions }),
  }
}

function described(kind: string, version: string, item: Json): ToolDescription {
  switch (kind) {
    case 'bash':
      return BASH
    case 'memory':
      return MEMORY
    case 'text_editor':
      return textEditor(version, item)
    default:
      return computer(version, item)
  }
}

const string = (description: string): Json => ({ type: 'string', description })
const integer = (description: string): Json => ({ type: 'integer', description })
const list = (length: number, description: string): Json => ({
  type: 'array',
  items: { type: 'integer' },
  minItems: length,
  maxItems: length,
  description,
})
const object = (properties: Json, required: readonly string[]): Json => ({ type: 'object', properties, required })

/**
 * Schema of bash.
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/bash-tool
 */
const BASH: ToolDescription = {
  description: 'Runs commands in a bash session that persists between calls.',
  schema: object(
    {
      command: string('Command to run. Required unless restart is true.'),
      restart: { type: 'boolean', description: 'Restarts the session.' },
    },
    [],
  ),
}

const VIEW_RANGE = list(2, 'First and last line to view, from 1; -1 as the last line is the end of the file. For view.')

/**
 * Schema of the memory tool.
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/memory-tool
 */
const MEMORY: ToolDescription = {
  description: 'Stores and retrieves files below /memories that persist between conversations.',
  schema: object(
    {
      command: { type: 'string', enum: ['view', 'create', 'str_replace', 'insert', 'delete', 'rename'] },
      path: string('Path of the file or directory, below /memories. For all commands except rename.'),
      view_range: VIEW_RANGE,
      file_text: string('Content of the file. For create.'),
      old_str: string('Text to replace. For str_replace.'),
      new_str: string('Replacement. For str_replace.'),
      insert_line: integer('Line after which the text is inserted; 0 is the beginning. For insert.'),
      insert_text: string('Text to insert. For insert.'),
      old_path: string('Current path. For rename.'),
      new_path: string('New path. For rename.'),
    },
    ['command'],
  ),
}

/**
 * Schema of the text editor. Versions before 2025-04-29 undo edits, and insert `new_str`.
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/text-editor-tool
 */
function textEditor(version: string, item: Json): ToolDescription {
  const isOld = version < '20250429'
  const most = number(item['max_characters'])
  const limit = most === undefined ? '' : ` A view has at most ${most} characters.`
  return {
    description: `Views, creates and edits text files.${limit}`,
    schema: object(
      {
        command: { type: 'string', enum: ['view', 'create', 'str_replace', 'insert', ...(isOld ? ['undo_edit'] : [])] },
        path: string('Absolute path of the file or directory.'),
        view_range: VIEW_RANGE,
        file_text: string('Content of the file. For create.'),
        old_str: string('Text to replace, which must occur exactly once. For str_replace.'),
        new_str: string(
          isOld ? 'Replacement for str_replace; text to insert for insert.' : 'Replacement. For str_replace.',
        ),
        insert_line: integer('Line after which the text is inserted; 0 is the beginning. For insert.'),
        ...(!isOld && { insert_text: string('Text to insert. For insert.') }),
      },
      ['command', 'path'],
    ),
  }
}

const ACTIONS = [
  ...[
    'screenshot',
    'cursor_position',
    'mouse_move',
    'left_click',
    'left_click_drag',
    'right_click',
    'middle_click',
    'double_click',
  ],
  ...['key', 'type'],
] as const
const LATER_ACTIONS = ['triple_click', 'left_mouse_down', 'left_mouse_up', 'scroll', 'hold_key', 'wait'] as const

/**
 * Schema of the computer. Versions from 2025-01-24 scroll, hold and wait; from 2025-11-24 they can zoom.
 * @see https://platform.claude.com/docs/en/agents-and-tools/tool-use/computer-use-tool
 */
function computer(version: string, item: Json): ToolDescription {
  const isOld = version < '20250124'
  const zooms = item['enable_zoom'] === true
  const [width, height] = [number(item['display_width_px']), number(item['display_height_px'])]
  const size = width === undefined || height === undefined ? '' : ` The display has ${width} × ${height} pixels.`
  const later: Json = {
    start_coordinate: list(2, 'x and y at which the drag begins. For left_click_drag.'),
    scroll_direction: { type: 'string', enum: ['up', 'down', 'left', 'right'], description: 'For scroll.' },
    scroll_amount: integer('Number of clicks of the wheel. For scroll.'),
    duration: { type: 'number', description: 'Seconds. For hold_key and wait.' },
  }
  return {
    description: `Controls a desktop: takes screenshots, moves the mouse, clicks and types.${size}`,
    schema: object(
      {
        action: { type: 'string', enum: [...ACTIONS, ...(isOld ? [] : LATER_ACTIONS), ...(zooms ? ['zoom'] : [])] },
        coordinate: list(2, 'x and y in pixels from the top left. For mouse_move, clicks, scroll and left_click_drag.'),
        text: string(
          'Text to type, or keys such as "ctrl+s". For type, key and hold_key; keys that are held during clicks and scroll.',
        ),
        ...(!isOld && later),
        ...(zooms && { region: list(4, 'x and y of two opposite corners. For zoom.') }),
      },
      ['action'],
    ),
  }
}
