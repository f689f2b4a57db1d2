import { Tabs as Base } from "@base-ui/react/tabs"
import type { ReactNode } from "react"
import "./Tabs.css"

interface Tab<Id extends string> {
  readonly id: Id
  readonly label: string
  readonly content: ReactNode
}

interface TabsProps<Id extends string> {
  readonly label: string
  readonly tabs: ReadonlyArray<Tab<Id>>
  readonly value: Id
  readonly onChange: (id: Id) => void
}

/** Views of one thing, of which one is shown. Keep the chosen one in the address, so that a link leads to it. */
export const Tabs = <Id extends string>({ label, tabs, value, onChange }: TabsProps<Id>) => (
  <Base.Root value={value} onValueChange={(next) => onChange(next as Id)}>
    <Base.List className="tabs" aria-label={label} activateOnFocus>
      {tabs.map((tab) => (
        <Base.Tab key={tab.id} value={tab.id} className="tab">
          {tab.label}
        </Base.Tab>
      ))}
    </Base.List>
    {tabs.map((tab) => (
      <Base.Panel key={tab.id} value={tab.id} className="stack">
        {tab.content}
      </Base.Panel>
    ))}
  </Base.Root>
)
