import { ErrorState } from '../components/ui/empty-state.tsx'

/** Shown instead of a screen that broke or whose code could not be loaded (after an update, or without a network). */
export function CrashScreen() {
  return (
    <ErrorState
      heading="h1"
      title="This page could not be shown"
      description="It may have been updated while you were here, or the connection was lost. Loading it again usually helps."
      onRetry={() => location.reload()}
    />
  )
}
