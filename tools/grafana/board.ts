/** Chart with its queries. */
export interface Panel {
  readonly title: string
  /** Meaning, shown at the title. */
  readonly about?: string
  /** Default: `timeseries`. */
  readonly type?: 'timeseries' | 'stat' | 'table' | 'bargauge'
  /** Unit of Grafana, such as `s`, `reqps`, `currencyUSD`. Default: none. */
  readonly unit?: string
  /** Width in 24ths of the board. Default: 8. */
  readonly width?: number
  /** True if the chart shows exemplars. */
  readonly exemplars?: boolean
  /** Queries with the names of their series. `$S` is the selector of the chosen gateways. */
  readonly queries: readonly (readonly [expression: string, legend: string])[]
}

/** Dashboard of Grafana. */
export interface Board {
  /** Fixed id, which is also the name of the file. */
  readonly uid: string
  readonly title: string
  /** True if the board has a choice of providers, `$provider`. */
  readonly hasProviders?: boolean
  readonly rows: readonly { readonly title: string; readonly panels: readonly Panel[] }[]
}

const DATASOURCE = { type: 'prometheus', uid: '$datasource' }
const SELECTOR = 'job=~"$job",instance=~"$instance"'
const WIDTH = 24
const HEIGHT = 8

function variable(name: string, label: string, query: string): object {
  return {
    name,
    label,
    type: 'query',
    datasource: DATASOURCE,
    definition: query,
    query: { query, refId: name },
    includeAll: true,
    allValue: '.*',
    multi: true,
    current: { selected: true, text: ['All'], value: ['$__all'] },
    refresh: 2,
    sort: 1,
  }
}

function variables({ hasProviders = false }: Board): object[] {
  return [
    { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus', refresh: 1, regex: '' },
    variable('job', 'Job', 'label_values(headgate_build_info, job)'),
    variable('instance', 'Instance', 'label_values(headgate_build_info{job=~"$job"}, instance)'),
    ...(hasProviders
      ? [variable('provider', 'Provider', `label_values(headgate_attempts_total{${SELECTOR}}, provider)`)]
      : []),
  ]
}

const LINES = { lineWidth: 1, fillOpacity: 10, showPoints: 'never', spanNulls: false }
const LEGEND = { displayMode: 'list', placement: 'bottom', showLegend: true }
const OPTIONS: Readonly<Record<NonNullable<Panel['type']>, object>> = {
  timeseries: { legend: LEGEND, tooltip: { mode: 'multi', sort: 'desc' } },
  stat: { reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false }, colorMode: 'none' },
  table: { showHeader: true, sortBy: [{ displayName: 'Value', desc: true }] },
  bargauge: { displayMode: 'basic', orientation: 'horizontal' },
}

function panelJson(panel: Panel, id: number, gridPos: object): object {
  const { title, about, type = 'timeseries', unit = 'short', exemplars = false, queries } = panel
  return {
    id,
    type,
    title,
    ...(about !== undefined && { description: about }),
    datasource: DATASOURCE,
    gridPos,
    fieldConfig: {
      defaults: { unit, min: 0, ...(type === 'timeseries' && { custom: LINES }) },
      overrides: [],
    },
    options: OPTIONS[type],
    targets: queries.map(([expression, legend], at) => ({
      refId: String.fromCharCode('A'.charCodeAt(0) + at),
      datasource: DATASOURCE,
      expr: expression.replaceAll('$S', SELECTOR),
      legendFormat: legend,
      exemplar: exemplars && at === 0,
      ...(type === 'timeseries' ? { range: true } : { instant: true, ...(type === 'table' && { format: 'table' }) }),
    })),
  }
}

/** Panels of a board in rows, each with the position in the grid. */
function panelsOf({ rows }: Board): object[] {
  const panels: object[] = []
  let y = 0
  for (const { title, panels: own } of rows) {
    const gridPos = { h: 1, w: WIDTH, x: 0, y }
    panels.push({ id: panels.length + 1, type: 'row', title, collapsed: false, gridPos, panels: [] })
    y += 1
    let x = 0
    for (const panel of own) {
      const { width = 8 } = panel
      if (x + width > WIDTH) {
        x = 0
        y += HEIGHT
      }
      panels.push(panelJson(panel, panels.length + 1, { h: HEIGHT, w: width, x, y }))
      x += width
    }
    y += HEIGHT
  }
  return panels
}

/** Classic JSON of a board, which Grafana 9 and later import. */
export function boardJson(board: Board): string {
  const json = {
    uid: board.uid,
    title: board.title,
    tags: ['headgate'],
    schemaVersion: 39,
    version: 1,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    timezone: 'browser',
    annotations: { list: [] },
    links: [
      {
        title: 'Headgate',
        type: 'dashboards',
        tags: ['headgate'],
        asDropdown: true,
        includeVars: true,
        keepTime: true,
      },
    ],
    templating: { list: variables(board) },
    panels: panelsOf(board),
  }
  return `${JSON.stringify(json, undefined, 2)}\n`
}
