/** Labels of metrics that the configuration chooses. */
export const METRIC_LABELS = ['model', 'key', 'project'] as const

export type MetricLabel = (typeof METRIC_LABELS)[number]
