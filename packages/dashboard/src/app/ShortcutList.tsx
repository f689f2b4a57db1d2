import type { ReactNode } from "react"
import { useMessages } from "../i18n/useMessages.ts"
import { Dialog } from "../kit/Dialog.tsx"
import { CheckField } from "../kit/Field.tsx"
import { useAtomSet, useAtomValue } from "../state/atoms.ts"
import { pageEntries } from "./navigation.ts"
import { isMac, rememberSingleKeys, singleKeysAtom } from "./shortcuts.ts"
import "./ShortcutList.css"

const Row = ({ keys, children }: { readonly keys: ReactNode; readonly children: ReactNode }) => (
  <div className="shortcut">
    <dt>{keys}</dt>
    <dd>{children}</dd>
  </div>
)

/** The keyboard shortcuts, and whether single keys are any. */
export const ShortcutList = ({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) => {
  const t = useMessages("palette")
  const app = useMessages("app")
  const singleKeys = useAtomValue(singleKeysAtom)
  const setSingleKeys = useAtomSet(singleKeysAtom)
  return (
    <Dialog open={open} onClose={onClose} title={t.keys}>
      <CheckField
        label={t.singleKeys}
        checked={singleKeys}
        onChange={(next) => {
          setSingleKeys(next)
          rememberSingleKeys(next)
        }}
      />
      <dl className="shortcuts">
        <Row
          keys={
            <>
              <kbd>{isMac ? "⌘" : "Ctrl"}</kbd> <kbd>K</kbd>
            </>
          }
        >
          {t.openSearch}
        </Row>
        {singleKeys && (
          <>
            <Row keys={<kbd>/</kbd>}>{t.openSearch}</Row>
            <Row keys={<kbd>?</kbd>}>{t.openHelp}</Row>
            {pageEntries.map(({ letter, name, to }) => (
              <Row
                key={to}
                keys={
                  <>
                    <kbd>g</kbd> {t.then} <kbd>{letter}</kbd>
                  </>
                }
              >
                {t.openPage({ page: app[name] as string })}
              </Row>
            ))}
          </>
        )}
        <Row
          keys={
            <>
              <kbd>↑</kbd> <kbd>↓</kbd>
            </>
          }
        >
          {t.move}
        </Row>
        <Row keys={<kbd>Enter</kbd>}>{t.open}</Row>
        <Row keys={<kbd>Esc</kbd>}>{t.close}</Row>
        <Row
          keys={
            <>
              <kbd>Esc</kbd> <kbd>⌫</kbd>
            </>
          }
        >
          {t.zoomOut}
        </Row>
      </dl>
    </Dialog>
  )
}
