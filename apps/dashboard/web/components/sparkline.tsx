/** Size of the drawing area, which is stretched to the available width. */
const [WIDTH, HEIGHT] = [120, 24]

/** Small line chart without labels. Unknown values are gaps. */
export function Sparkline({ values }: { readonly values: readonly (number | null)[] }) {
  const most = Math.max(...values.map((value) => value ?? 0), Number.MIN_VALUE)
  const step = WIDTH / Math.max(1, values.length - 1)
  let isDrawing = false
  const path = values
    .map((value, index) => {
      if (value === null) {
        isDrawing = false
        return ''
      }
      const command = isDrawing ? 'L' : 'M'
      isDrawing = true
      return `${command}${(index * step).toFixed(1)} ${(HEIGHT - 1 - (value / most) * (HEIGHT - 2)).toFixed(1)}`
    })
    .join('')
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      className="mt-1 h-6 w-full text-data"
    >
      <path
        d={path}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        vectorEffect="non-scaling-stroke"
        strokeLinejoin="round"
      />
    </svg>
  )
}
