import { Page } from '../../components/page.tsx'

export function SpendPage() {
  return <Page title="Spend">{null}</Page>
}
