// The page is complete without this: it opens the contents on wide screens, filters them, and copies examples.
const nav = document.getElementById("contents")
const groups = [...nav.querySelectorAll("details")]
const wide = matchMedia("(min-width: 64rem)")
const openBy = (text) => {
  for (const group of groups) {
    let found = 0
    for (const item of group.querySelectorAll("li")) {
      item.hidden = text !== "" && !item.textContent.toLowerCase().includes(text)
      if (!item.hidden) found++
    }
    group.hidden = found === 0
    group.open = text === "" ? wide.matches && group !== groups.at(-1) && group !== groups.at(-2) : found > 0
  }
}
const label = document.createElement("label")
label.textContent = "Filter the contents"
const filter = document.createElement("input")
filter.type = "search"
filter.addEventListener("input", () => openBy(filter.value.trim().toLowerCase()))
label.append(filter)
nav.prepend(label)
openBy("")

// The examples call the platform from which the page was read.
if (location.protocol.startsWith("http")) {
  for (const code of document.querySelectorAll("pre.shell code")) {
    code.textContent = code.textContent.replace("http://127.0.0.1:3000", location.origin)
  }
}

// Browsers lend the clipboard to pages from this machine or over TLS only.
for (const block of navigator.clipboard === undefined ? [] : document.querySelectorAll("pre")) {
  const button = document.createElement("button")
  button.type = "button"
  button.textContent = "Copy"
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(block.querySelector("code").textContent)
    button.textContent = "Copied"
    setTimeout(() => (button.textContent = "Copy"), 1500)
  })
  block.prepend(button)
}

const links = new Map([...nav.querySelectorAll("a")].map((link) => [link.hash.slice(1), link]))
const watcher = new IntersectionObserver(
  (entries) => {
    const entered = entries.find((entry) => entry.isIntersecting)
    if (entered === undefined) return
    for (const link of links.values()) link.removeAttribute("aria-current")
    links.get(entered.target.id)?.setAttribute("aria-current", "true")
  },
  { rootMargin: "0px 0px -80% 0px" }
)
for (const section of document.querySelectorAll("section[id]")) watcher.observe(section)
