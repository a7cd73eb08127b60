export default function FolderPage() {
  return <h1 className="gutters py-8 text-3xl font-semibold">Folder</h1>
}
