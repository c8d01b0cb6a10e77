import { registerHooks } from 'node:module'

/**
 * Preload of a program (`--import`) that turns the source of the store into its next version: rows of `usage` have one
 * more nullable column. `HEADGATE_TEST_UPGRADE` is the kind of its upgrade: `expand`, or `contract`, after which only
 * the next version can use the store.
 */
const kind = process.env['HEADGATE_TEST_UPGRADE'] ?? 'expand'

const FIELD = `  sample: own(kinds.MAYBE_TEXT, () => 'next', 'A column of the next version.'),\n`
const UPGRADE = `{
  kind: '${kind}',
  minReader: 2,
  statements: (database: string) => [
    \`ALTER TABLE usage ADD COLUMN sample \${database === 'sqlite' ? 'TEXT' : 'text COLLATE "C"'}\`,
  ],
} as never`

/** Insertions into files of the source, at the `|` in a text that occurs once. */
const EDITS = [
  { file: '/store/src/usage/fields.ts', place: '|} as const satisfies RowFields<LedgerRow>', text: FIELD },
  { file: '/store/src/schema/tables.ts', place: 'tables: TABLES, upgrades: [|]', text: UPGRADE },
]

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context)
    const edit = EDITS.find(({ file }) => url.endsWith(file))
    if (!edit) return loaded
    const { source } = loaded
    const text = typeof source === 'string' ? source : Buffer.from((source ?? []) as Uint8Array).toString()
    const [before = '', after = ''] = edit.place.split('|')
    const at = text.indexOf(before + after)
    if (at < 0) throw new Error(`${edit.file} has no text ${JSON.stringify(before + after)}.`)
    const end = at + before.length
    return { ...loaded, source: `${text.slice(0, end)}${edit.text}${text.slice(end)}` }
  },
})
