import { useState } from 'react'
import { Code } from '../components/code.tsx'
import { Tabs } from '../components/tabs.tsx'
import { type Snippet, type SnippetOf, snippetsOf } from './snippets.ts'

/** A request as code, one client at a time. */
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
