import { later } from '../../components/later.tsx'

export const FolderDialogs = later(() => import('./folder-dialogs.tsx').then((code) => code.FolderDialogs))
