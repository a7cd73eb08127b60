import { useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'react-router-dom'
import { deletionsQuery, environmentQuery, failedJobsQuery } from '../../api/admin.ts'
import { TabPanel, Tabs } from '../../components/ui/tabs.tsx'
import { hasStatus } from '../../lib/http.ts'
import { usePageTitle } from '../../lib/routing.ts'
import { NoPermission } from './admin-parts.tsx'
import { AuditTab } from './audit-tab.tsx'
import { DeletionsTab } from './deletions-tab.tsx'
import { EnvironmentTab } from './environment-tab.tsx'
import { JobsTab } from './jobs-tab.tsx'
import { PrintingTab } from './printing-tab.tsx'
import { StatisticsTab } from './statistics-tab.tsx'
import { UsersTab } from './users-tab.tsx'

const TABS = [
  { value: 'users', label: 'User Management', Panel: UsersTab },
  { value: 'statistics', label: 'System Statistics', Panel: StatisticsTab },
  { value: 'api', label: 'API Configuration', Panel: EnvironmentTab },
  { value: 'printing', label: 'Walgreens Printing', Panel: PrintingTab },
  { value: 'jobs', label: 'Failed Jobs', Panel: JobsTab },
  { value: 'audit', label: 'Audit Log', Panel: AuditTab },
  { value: 'deletions', label: 'Deletions', Panel: DeletionsTab },
] as const
const FIRST_TAB = TABS[0].value
const FRAME = 'page pt-7'

/** The administration, for administrators only. `?tab=` names the open tab. */
export default function AdminScreen() {
  usePageTitle('Administration')
  const [search, setSearch] = useSearchParams()
  // Polled whatever the tab, so that an administrator without rights sees it within seconds.
  const environment = useQuery(environmentQuery)
  const { data: deletions } = useQuery(deletionsQuery)
  const { data: jobs } = useQuery(failedJobsQuery)
  const tab = TABS.find(({ value }) => value === search.get('tab'))?.value ?? FIRST_TAB
  const counts: Record<string, number | undefined> = { jobs: jobs?.length, deletions: deletions?.length }
  if (hasStatus(environment.error, 403))
    return (
      <div className={FRAME}>
        <NoPermission heading="h1" />
      </div>
    )
  return (
    <div className={FRAME}>
      <h1 className="mb-4 text-2xl font-bold sm:text-3xl">Administration</h1>
      <Tabs
        label="Administration"
        value={tab}
        onValueChange={(next) =>
          setSearch(next === FIRST_TAB ? {} : { tab: next }, { replace: true, preventScrollReset: true })
        }
        tabs={TABS.map(({ value, label }) => ({ value, label, count: counts[value] || undefined }))}
      >
        {TABS.map(({ value, Panel }) => (
          <TabPanel key={value} value={value}>
            <Panel />
          </TabPanel>
        ))}
      </Tabs>
    </div>
  )
}
