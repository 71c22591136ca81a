// Without a kernel: a model that keeps its values in the page, and the call that wakes one sleeping figure.

// `under`: the model that has the values which this one lacks.
export function pageModel(values, under = null) {
  const listeners = new Map();
  return {
    get: (name) => (under && !(name in values) ? under.get(name) : values[name]),
    set(name, value) {
      if (Object.is(values[name], value)) return;
      values[name] = value;
      for (const listener of [...(listeners.get(`change:${name}`) ?? [])]) listener();
    },
    on: (event, listener) => listeners.set(event, [...(listeners.get(event) ?? []), listener]),
    off: (event, listener) => listeners.set(event, (listeners.get(event) ?? []).filter((other) => other !== listener)),
    save_changes() {},
  };
}

// Code is the same in every copy and the data live in the figure, so it does not matter which copy wakes which figure.
export function wake(name, render) {
  const el = document.querySelector(`figure.regattn[data-widget="${name}"]:not([data-awake])`);
  if (!el) return;
  el.dataset.awake = "";
  const read = (figure) => JSON.parse(figure.querySelector('script[type="application/json"]').textContent);
  const values = read(el);
  values.data ??= read(document.querySelector(`figure.regattn[data-widget="${name}"]`)).data; // what is large, once
  render({ model: pageModel(values), el });
}
