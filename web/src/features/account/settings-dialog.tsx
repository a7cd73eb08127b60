import { useQuery } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { ToggleGroup } from 'radix-ui'
import { type ReactNode, useId } from 'react'
import { settingsQuery } from '../../api/queries.ts'
import { useSaveSettings } from '../../api/settings.ts'
import type { AccountSettings } from '../../api/types.ts'
import { ThemeToggle } from '../../components/theme.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { LoadingState, QueryFailure } from '../../components/ui/empty-state.tsx'
import { Skeleton, Spinner } from '../../components/ui/loading.tsx'
import { toastFailure } from '../../components/ui/toast.tsx'
import { SortSelect } from '../../photos/sort-select.tsx'

const UNITS = { metric: 'Metric', imperial: 'Imperial' }
const VIEWS = { grid: 'Grid', list: 'List' }

type LabelProps = Record<'aria-labelledby' | 'aria-describedby', string>

/** The settings. Each choice is saved at once and shown on the screen behind. */
export function SettingsDialog({ onClose }: { onClose: () => void }) {
  const save = useSaveSettings((error, retry) => toastFailure('Settings not saved', error, retry))
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Settings"
      description="Changes are saved at once and apply in all your browsers; the theme is this browser's."
      footer={
        <>
          <SaveStatus save={save} />
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      <div className="grid gap-5">
        <Setting label="Theme" hint="Auto follows your device.">
          {() => <ThemeToggle showLabels />}
        </Setting>
        <StoredSettings onChange={save.mutate} />
      </div>
    </Dialog>
  )
}

function StoredSettings({ onChange }: { onChange: (changes: Partial<AccountSettings>) => void }) {
  const query = useQuery(settingsQuery)
  const settings = query.data
  if (query.isPending) return <SettingsSkeleton />
  if (!settings) return <QueryFailure query={query} title="Settings could not be loaded" />
  return (
    <>
      <Setting label="Units" hint={settings.units === 'metric' ? 'Meters and kilometers.' : 'Feet and miles.'}>
        {(label) => (
          <Choice {...label} options={UNITS} value={settings.units} onChange={(units) => onChange({ units })} />
        )}
      </Setting>
      <Setting label="Default sort" hint="The order in which your photos open.">
        {(label) => <SortSelect {...label} value={settings.sort} onSort={(sort) => onChange({ sort })} />}
      </Setting>
      <Setting label="Default view" hint="The view in which your photos open, until you choose another one there.">
        {(label) => <Choice {...label} options={VIEWS} value={settings.view} onChange={(view) => onChange({ view })} />}
      </Setting>
    </>
  )
}

interface SettingProps {
  label: string
  hint: string
  /** The control: spread the given attributes on it. */
  children: (label: LabelProps) => ReactNode
}

function Setting({ label, hint, children }: SettingProps) {
  const id = useId()
  return (
    <div className="grid gap-1.5">
      <p id={`${id}-label`} className="text-sm font-semibold">
        {label}
      </p>
      {children({ 'aria-labelledby': `${id}-label`, 'aria-describedby': `${id}-hint` })}
      <p id={`${id}-hint`} className="text-sm text-pretty text-muted">
        {hint}
      </p>
    </div>
  )
}

interface ChoiceProps<T extends string> extends LabelProps {
  /** Their labels by their values. */
  options: Record<T, string>
  value: T
  onChange: (value: T) => void
}

/** One of a few values, all of them visible, in the style of the theme toggle. */
function Choice<T extends string>({ options, value, onChange, ...labelProps }: ChoiceProps<T>) {
  return (
    <ToggleGroup.Root
      type="single"
      value={value}
      onValueChange={(next) => next && next !== value && onChange(next as T)}
      {...labelProps}
      className="flex w-full rounded-full bg-sunken p-0.5"
    >
      {Object.entries<string>(options).map(([option, label]) => (
        <ToggleGroup.Item
          key={option}
          value={option}
          className="flex h-11 flex-1 items-center justify-center rounded-full text-sm font-semibold text-muted transition hover:text-text data-[state=on]:bg-surface data-[state=on]:text-text data-[state=on]:shadow-low sm:h-10"
        >
          {label}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  )
}

/** Beside the button, so that nothing moves. A toast says why saving failed. */
function SaveStatus({ save }: { save: ReturnType<typeof useSaveSettings> }) {
  const { status, variables, mutate } = save
  return (
    <div className="flex items-center gap-2 text-sm text-muted max-sm:flex-none! sm:mr-auto">
      <p role="status" className="flex items-center gap-2">
        {status === 'pending' && <Spinner />}
        {status === 'pending' && <span>Saving</span>}
        {status === 'success' && <Check aria-hidden className="size-4 text-good" />}
        {status === 'success' && <span>Saved</span>}
        {status === 'error' && <span className="text-danger">Not saved</span>}
      </p>
      {status === 'error' && (
        <Button size="small" onClick={() => mutate(variables)}>
          Retry
        </Button>
      )}
    </div>
  )
}

function SettingsSkeleton() {
  return (
    <LoadingState label="Loading the settings" className="grid gap-5">
      {['units', 'sort', 'view'].map((name) => (
        <div key={name} className="grid gap-2">
          <Skeleton className="h-4 w-24" />
          <Skeleton className="h-11 rounded-full" />
          <Skeleton className="h-4 w-56 max-w-full" />
        </div>
      ))}
    </LoadingState>
  )
}
