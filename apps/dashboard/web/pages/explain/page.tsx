import { Page } from '../../components/page.tsx'

export function ExplainPage() {
  return <Page title="Explain">{null}</Page>
}
