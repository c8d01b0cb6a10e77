import { useState } from 'react'
import { Code } from '../components/code.tsx'
import { Tabs } from '../components/tabs.tsx'
import { type Snippet, type SnippetOf, snippetsOf } from './snippets.ts'

/** Code of a request, in a tab for each client. */
export function SnippetTabs(of: SnippetOf) {
  const snippets = snippetsOf(of)
  const [chosen, choose] = useState<Snippet['id']>('terminal')
  const shown = snippets.find(({ id }) => id === chosen)
  return (
    <Tabs<Snippet['id']> label="Clients" tabs={snippets} chosen={chosen} onChoose={choose}>
      {shown && <Code text={shown.text} label={`Code for ${shown.title}`} />}
    </Tabs>
  )
}
