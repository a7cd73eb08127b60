import { lazyComponent } from '../../components/lazy.tsx'

export const FolderDialogs = lazyComponent(() => import('./folder-dialogs.tsx').then((code) => code.FolderDialogs), {
  afterFirstScreen: true,
})
