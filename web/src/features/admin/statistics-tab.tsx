import { useQuery } from '@tanstack/react-query'
import { ChartNoAxesColumn } from 'lucide-react'
import { useState } from 'react'
import { installationStatisticsQuery } from '../../api/admin.ts'
import type { DailyFigures } from '../../api/types.ts'
import { Figures, FiguresFailure } from '../../components/figures.tsx'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState } from '../../components/ui/empty-state.tsx'
import { Skeleton } from '../../components/ui/loading.tsx'
import { countOf, formatBytes, formatNumber } from '../../lib/format.ts'
import { Loaded } from './admin-parts.tsx'
import { HistoryChart } from './history-chart.tsx'

/** The server's days are those of UTC. */
const DAY = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' })

const dayLabel = (day: string) => DAY.format(new Date(`${day.slice(0, 10)}T00:00:00Z`))
const formatStorage = (megabytes: number) => formatBytes(megabytes * 2 ** 20)

const FIGURES: { title: string; of: (day: DailyFigures) => number; format: (value: number) => string }[] = [
  { title: 'Users', of: ({ users }) => users, format: formatNumber },
  { title: 'Photos', of: ({ photos }) => photos, format: formatNumber },
  { title: 'Storage', of: ({ storageMB }) => storageMB, format: formatStorage },
  { title: 'Active 30d', of: ({ active }) => active, format: formatNumber },
]

/** The figures of the installation, read again every 30 seconds, and how they were on the last days. */
export function StatisticsTab() {
  const statistics = useQuery(installationStatisticsQuery)
  return (
    <Loaded query={statistics} what="statistics" skeleton={<StatisticsSkeleton />}>
      {(data) => (
        <div className="grid gap-8">
          <FiguresFailure query={statistics} what="These figures are no longer up to date." />
          <Figures
            className="sm:grid-cols-2 lg:grid-cols-4"
            figures={{
              'Total Users': formatNumber(data.totalUsers),
              'Total Photos': formatNumber(data.totalPhotos),
              'Storage Used': formatStorage(data.storageUsedMB),
              'Active 30d': formatNumber(data.activeUsersToday),
            }}
          />
          <History days={data.history} />
        </div>
      )}
    </Loaded>
  )
}

function History({ days }: { days: readonly DailyFigures[] }) {
  const [table, setTable] = useState(false)
  const [first, second] = days
  return (
    <section aria-labelledby="history" className="min-w-0">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 id="history" className="text-lg font-semibold sm:text-xl">
          Last 30 days
        </h2>
        {second && (
          <Button size="small" onClick={() => setTable(!table)}>
            {table ? 'Show as charts' : 'Show as table'}
          </Button>
        )}
      </div>
      {!first ? (
        <EmptyState
          heading="h3"
          icon={<ChartNoAxesColumn />}
          title="No history yet"
          description="The figures of each day are kept from now on. The first ones appear within a minute."
        />
      ) : !second ? (
        <EmptyState
          heading="h3"
          icon={<ChartNoAxesColumn />}
          title={`Since ${dayLabel(first.day)}: ${describeDay(first)}`}
          description="There is one day of history. The charts begin with the second one."
        />
      ) : table ? (
        <HistoryTable days={days} />
      ) : (
        <div className="grid gap-4 md:grid-cols-2">
          {FIGURES.map(({ title, of, format }) => (
            <HistoryChart
              key={title}
              title={title}
              format={format}
              days={days.map((day) => ({ label: dayLabel(day.day), value: of(day) }))}
            />
          ))}
        </div>
      )}
    </section>
  )
}

function describeDay({ users, photos, storageMB }: DailyFigures): string {
  return [countOf(users, 'user'), countOf(photos, 'photo'), formatStorage(storageMB)].join(', ')
}

/** The newest day first. */
function HistoryTable({ days }: { days: readonly DailyFigures[] }) {
  return (
    <section
      aria-label="Table of the last 30 days"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls on a narrow screen, also by keyboard
      tabIndex={0}
      className="overflow-x-auto rounded-lg bg-surface shadow-low ring ring-line"
    >
      <table aria-labelledby="history" className="w-full border-collapse">
        <thead>
          <tr className="border-b border-line text-sm text-muted">
            <th scope="col" className="px-2 py-2.5 text-left font-semibold sm:px-5">
              Day
            </th>
            {FIGURES.map(({ title }) => (
              <th key={title} scope="col" className="px-2 py-2.5 text-right font-semibold sm:px-5">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {days.toReversed().map((figures) => (
            <tr key={figures.day}>
              <th scope="row" className="px-2 py-2 text-left font-normal whitespace-nowrap sm:px-5">
                {dayLabel(figures.day)}
              </th>
              {FIGURES.map(({ title, of, format }) => (
                <td key={title} className="px-2 py-2 text-right whitespace-nowrap tabular-nums sm:px-5">
                  {format(of(figures))}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function StatisticsSkeleton() {
  return (
    <div className="grid gap-8">
      <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-4">
        {[0, 1, 2, 3].map((figure) => (
          <Skeleton key={figure} className="h-13 rounded-lg sm:h-24" />
        ))}
      </div>
      <div className="grid gap-4 md:grid-cols-2">
        {[0, 1, 2, 3].map((chart) => (
          <Skeleton key={chart} className="h-52 rounded-lg" />
        ))}
      </div>
    </div>
  )
}
