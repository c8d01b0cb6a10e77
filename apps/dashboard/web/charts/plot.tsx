import { useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { LOCALES } from '../formats/locale.ts'
import { day, hourOf, periodText } from '../formats/times.ts'
import { colorName, resolvedColor } from './colors.ts'
import { type ChartMark, isWhole, stacked, type TimeChartProps } from './series.ts'
import { axisEnds, STEPS } from './times.ts'

/** Distances between ticks of days, in seconds. */
const DAYS = [1, 2, 4, 7, 14, 30, 60, 90, 180].map((days) => days * 86_400)

/** Distances between ticks of whole numbers. */
const WHOLE = Array.from({ length: 16 }, (_, power) => [1, 2, 5].map((factor) => factor * 10 ** power)).flat()

interface Hover {
  readonly index: number
  readonly left: number
}

const BARS = uPlot.paths.bars?.({ size: [0.7, 60], align: 1 })

/** Dash patterns that distinguish lines without color. */
const DASHES: readonly (number[] | undefined)[] = [undefined, [6, 3], [2, 3], [10, 4, 2, 4], [4, 4]]

type PlotProps = TimeChartProps & { readonly isLog: boolean }

/** Chart in a color scheme. */
type DrawnProps = PlotProps & { readonly scheme: string }

/** Canvas of a chart, drawn by uPlot. Loaded on demand. */
export function Plot(props: PlotProps) {
  const { times, step, range, zone, series, kind, format } = props
  const place = useRef<HTMLDivElement>(null)
  const latest = useRef(props)
  latest.current = props
  const [hover, setHover] = useState<Hover>()
  const scheme = useScheme()
  const shape = JSON.stringify([
    scheme,
    props.look,
    props.isLog,
    props.isTall,
    kind,
    step,
    range.from,
    range.to,
    zone,
    times,
    series.map(({ id, values }) => [id, values]),
    props.marks,
  ])
  useEffect(() => {
    const element = place.current
    if (!element || shape === '') return undefined
    const plot = draw(element, { ...latest.current, scheme }, setHover)
    const observer = new ResizeObserver(() =>
      plot.setSize({ width: element.clientWidth, height: element.clientHeight }),
    )
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [shape, scheme])
  const time = hover && times[hover.index]
  return (
    <div className="relative h-full">
      <div ref={place} aria-hidden className="h-full" />
      {hover && time !== undefined && (
        <div
          aria-hidden
          className="pointer-events-none absolute top-0 z-10 max-w-72 rounded-field border border-line bg-bg px-2.5 py-1.5 text-small shadow-overlay"
          style={hover.left > 300 ? { right: `calc(100% - ${hover.left - 8}px)` } : { left: hover.left + 72 }}
        >
          <p className="font-medium">{periodText(time, step, zone)}</p>
          {marksIn(props.marks, time, STEPS[step]).map(({ at, title }) => (
            <p key={`${at} ${title}`}>{title}</p>
          ))}
          {series.map(({ id, title, values }) => {
            const value = values[hover.index]
            if (typeof value !== 'number' || (value === 0 && series.length > 1)) return null
            return (
              <p key={id} className="flex items-center gap-1.5">
                <span className="size-2 shrink-0 rounded-full" style={{ background: `var(${colorName(kind, id)})` }} />
                <span className="truncate">{title}</span>
                <span className="ml-auto pl-3">{format(value)}</span>
              </p>
            )
          })}
        </div>
      )}
    </div>
  )
}

/** Background color of the current scheme. A canvas does not support `light-dark()`. */
function useScheme(): string {
  const read = (): string => resolvedColor('--color-bg')
  const [scheme, setScheme] = useState(read)
  useEffect(() => {
    const query = matchMedia('(prefers-color-scheme: dark)')
    const update = (): void => setScheme(read())
    const observer = new MutationObserver(update)
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    query.addEventListener('change', update)
    return () => {
      observer.disconnect()
      query.removeEventListener('change', update)
    }
  })
  return scheme
}

function draw(element: HTMLElement, props: DrawnProps, onHover: (hover: Hover | undefined) => void): uPlot {
  const { times, step, range, zone, series, look, onZoom, isLog, isTall = true, marks = [], scheme } = props
  const isBars = look === 'bars'
  const heights = isBars ? stacked(series) : series.map(({ values }) => values)
  // Lower bars are drawn last, over the bars that are stacked on them.
  const order = isBars ? series.map((_, index) => series.length - 1 - index) : series.map((_, index) => index)
  const options: uPlot.Options = {
    // Days begin in the time zone of the store, and so do the ticks.
    tzDate: (at) =>
      step === 'day' && zone !== undefined ? uPlot.tzDate(new Date(at * 1_000), zone) : new Date(at * 1_000),
    width: element.clientWidth,
    height: element.clientHeight,
    legend: { show: false },
    padding: isTall ? [12, 24, 0, 0] : [2, 0, 2, 0],
    cursor: { drag: { x: onZoom !== undefined, y: false }, points: { show: !isBars }, y: false },
    scales: {
      x: { time: true, range: () => axisEnds(times, step, range) },
      y: {
        distr: isLog ? 3 : 1,
        range: (_, least, most) =>
          isLog ? [Math.max(least, most / 1e6, 1e-9), most || 1] : [0, most > 0 ? most * 1.05 : 1],
      },
    },
    axes: axesOf(props),
    series: [{}, ...order.map((index) => lineOf(props, index))],
    hooks: {
      setCursor: [
        ({ cursor: { idx, left = 0 } }) =>
          onHover(idx === null || idx === undefined ? undefined : { index: idx, left }),
      ],
      setSelect: [(plot) => zoom(plot, onZoom)],
      draw: [(plot) => drawMarks(plot, marks, scheme)],
    },
  }
  const seconds = times.map((time) => time / 1_000)
  return new uPlot(options, [seconds, ...order.map((index) => [...(heights[index] ?? [])])], element)
}

function axesOf({ step, zone, format, series, scheme, isTall = true }: DrawnProps): uPlot.Axis[] {
  const isDays = step === 'day'
  const line = { stroke: resolvedColor('--color-line', scheme), width: 1 }
  const axis = {
    show: isTall,
    stroke: resolvedColor('--color-muted', scheme),
    ticks: { show: false },
    font: '12px ui-sans-serif, system-ui, sans-serif',
  }
  return [
    {
      ...axis,
      grid: { ...line, show: false },
      space: 72,
      size: 28,
      ...(isDays && { incrs: DAYS }),
      values: (_, ticks, _index, _space, gap) =>
        ticks.map((tick) => tickText(tick * 1_000, gap, isDays ? zone : undefined)),
    },
    {
      ...axis,
      grid: line,
      size: 64,
      ...(isWhole(series) && { incrs: WHOLE }),
      values: (_, ticks) => ticks.map((value) => (value === null ? '' : format(value))),
    },
  ]
}

/** Drawing options of a series. */
function lineOf({ look, kind, series, times, scheme }: DrawnProps, index: number): uPlot.Series {
  const color = resolvedColor(colorName(kind, series[index]?.id ?? ''), scheme)
  if (look === 'bars' && BARS) return { fill: color, width: 0, points: { show: false }, paths: BARS }
  const dash = DASHES[index % DASHES.length]
  return { stroke: color, width: 2, points: { show: times.length < 3 }, spanGaps: false, ...(dash && { dash }) }
}

/** Events within a period. */
function marksIn(marks: readonly ChartMark[] = [], start: number, length: number): readonly ChartMark[] {
  return marks.filter(({ at }) => at >= start && at < start + length)
}

/** Draws a dashed line for each event. */
function drawMarks(plot: uPlot, marks: readonly ChartMark[], scheme: string): void {
  const { ctx, bbox } = plot
  ctx.save()
  ctx.strokeStyle = resolvedColor('--color-muted', scheme)
  ctx.setLineDash([4, 4])
  for (const { at } of marks) {
    const x = plot.valToPos(at / 1_000, 'x', true)
    if (x < bbox.left || x > bbox.left + bbox.width) continue
    ctx.beginPath()
    ctx.moveTo(x, bbox.top)
    ctx.lineTo(x, bbox.top + bbox.height)
    ctx.stroke()
  }
  ctx.restore()
}

function zoom(plot: uPlot, onZoom: TimeChartProps['onZoom']): void {
  const { left, width } = plot.select
  if (width < 4) return
  onZoom?.(Math.round(plot.posToVal(left, 'x') * 1_000), Math.round(plot.posToVal(left + width, 'x') * 1_000))
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
}

/** Label of a tick: the date if ticks are at least a day apart or a day begins, otherwise the time of day. */
function tickText(at: number, gap: number, zone: string | undefined): string {
  if (zone !== undefined) return day(at, LOCALES, zone)
  const time = new Date(at)
  return gap >= 86_400 || (time.getHours() === 0 && time.getMinutes() === 0) ? day(at) : hourOf(at)
}
