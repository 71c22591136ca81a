// A text cut into records and fields after RFC 4180: a quoted field may hold delimiters, line ends and, twice, quotes.
const DELIMITERS = ["\t", ";", "|", ","]; // a comma may also be that of a decimal number, so it is tried last
const LOOK = 65536; // characters by which the delimiter is told
const OFTEN = 500; // lines after which others may have their turn
const MANY = 0.9; // share of the records that must be of one width

function lineEnds(text) {
  return (text.match(/\r\n|\n|\r/g) ?? []).length;
}

// The quoted part of a field that begins at `at`: its text, where it ends, and whether it was closed.
function quoted(text, at) {
  let [from, value] = [at + 1, ""];
  for (;;) {
    const close = text.indexOf('"', from);
    if (close < 0) return { value: value + text.slice(from), at: text.length, closed: false };
    value += text.slice(from, close);
    if (text[close + 1] !== '"') return { value, at: close + 1, closed: true };
    value += '"';
    from = close + 2;
  }
}

// Each record to `found(cells, line)`, with the line on which it begins; blank lines are none. Yields the share that is
// done; returns the line of a quote that never closes, or null.
export function* recordsIn(text, delimiter, found) {
  let [open, ends] = [null, 0];
  const plain = new RegExp(`[^${delimiter === "|" ? "\\|" : delimiter}\\r\\n]*`, "y");
  let [at, line, begun, row] = [0, 1, 1, []];
  const end = () => {
    if (row.length > 1 || row[0].trim()) found(row, begun);
    row = [];
  };
  while (at < text.length) {
    let value = "";
    if (text[at] === '"') {
      const part = quoted(text, at);
      if (!part.closed) open ??= line;
      ({ value, at } = part);
      line += lineEnds(value);
    }
    plain.lastIndex = at;
    const [rest] = plain.exec(text);
    at += rest.length;
    row.push(value + rest);
    if (text[at] === delimiter) {
      at += 1;
      if (at < text.length && text[at] !== "\n" && text[at] !== "\r") continue;
      row.push(""); // a delimiter at the end of a line: one more field, which is empty
    }
    end();
    at += text.startsWith("\r\n", at) ? 2 : 1;
    begun = line += 1;
    if ((ends += 1) % OFTEN === 0) yield at / text.length;
  }
  return open;
}

// All records of a text.
function records(text, delimiter) {
  const rows = [];
  for (const share of recordsIn(text, delimiter, (row) => rows.push(row))) void share;
  return rows;
}

// The delimiter under which nearly all records have one width, of two fields or more; a comma if none does.
export function delimiterOf(text) {
  const cut = text.length > LOOK ? text.slice(0, Math.max(text.lastIndexOf("\n", LOOK), LOOK / 2)) : text;
  const alike = (delimiter) => {
    const widths = records(cut, delimiter).map((row) => row.length);
    const wide = widths.filter((width) => width === widths[0] && width > 1).length;
    return wide / Math.max(1, widths.length);
  };
  const shares = DELIMITERS.map(alike);
  const most = Math.max(...shares);
  const at = shares.findIndex((share) => share >= Math.min(MANY, most));
  return most > 0 ? DELIMITERS[at] : ",";
}
