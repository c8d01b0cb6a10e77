import { Page } from '../../components/page.tsx'

export function NowPage() {
  return <Page title="Now">{null}</Page>
}
