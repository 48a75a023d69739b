// bind/rule_table.cpp: tables of rules: writing them, and asking them.
#include "rule_table.hpp"

#include "rules/table_filter.hpp"
#include "rules/table_search.hpp"

namespace rosewood::bind {

namespace {

TableFiles spans_of(const std::map<std::string, Bytes>& files) {
  TableFiles spans;
  for (const auto& [name, file] : files) spans.emplace(name, span_of(file));
  return spans;
}

template <class T>
Array<T> taken(std::vector<T>& made) {
  return to_numpy(std::move(made));
}

const TableWords& words_of(const RuleTable& table, bool is_target) {
  return is_target ? table.target_words() : table.source_words();
}

std::uint64_t checked(const RuleTable& table, std::int64_t rule) {
  if (rule < 0 || static_cast<std::uint64_t>(rule) >= table.size())
    fail<RuleError>({"argument.range", "rule"}, "there is no rule ", rule);
  return static_cast<std::uint64_t>(rule);
}

std::vector<RuleLink> links_of(const In2<std::uint16_t>& pairs) {
  if (pairs.shape(1) != 2) fail<RuleError>({"argument.shape", "links"}, "links are pairs");
  const auto* first = reinterpret_cast<const RuleLink*>(pairs.data());
  return {first, first + pairs.shape(0)};
}

void bind_writer(nb::module_& m) {
  nb::class_<RuleTableWriterHandle>(m, "RuleTableWriter", "Writes the files of a rule table.")
      .def(
          "__init__",
          [](RuleTableWriterHandle* self, std::string folder, std::vector<std::string> labels,
             std::vector<std::string> features, std::vector<std::vector<std::string>> groups) {
            new (self) RuleTableWriterHandle{
                RuleTableWriter(std::move(folder),
                                {std::move(labels), std::move(features), std::move(groups)}),
                {}};
          },
          "folder"_a, "labels"_a, "features"_a, "groups"_a)
      .def(
          "set_text",
          [](RuleTableWriterHandle& self, In<std::int32_t> ids, In<std::int64_t> start) {
            self.kept = {nb::cast(ids), nb::cast(start)};
            self.writer.set_text(span_of(ids), span_of(start));
          },
          "ids"_a.noconvert(), "start"_a.noconvert(),
          "The target side of the training text; before the first rule.")
      .def(
          "add",
          [](RuleTableWriterHandle& self, std::int32_t left, In<std::int32_t> source,
             In<std::int32_t> target, In2<std::uint16_t> links, std::array<double, 3> counts,
             In<float> features, std::int64_t sentence, std::int64_t target_place,
             std::optional<std::uint64_t> id) {
            const auto pairs = links_of(links);
            const RuleView rule{left,      span_of(source), span_of(target), pairs,
                                counts[0], counts[1],       counts[2],       span_of(features),
                                sentence,  target_place};
            if (id)
              self.writer.add_with_id(rule, *id);
            else
              self.writer.add(rule);
          },
          "left"_a, "source"_a.noconvert(), "target"_a.noconvert(), "links"_a.noconvert(),
          "counts"_a, "features"_a.noconvert(), "sentence"_a = -1, "target_place"_a = -1,
          "id"_a = nb::none())
      .def(
          "finish",
          [](RuleTableWriterHandle& self, Bytes source_bytes, In<std::int64_t> source_start,
             Bytes target_bytes, In<std::int64_t> target_start) {
            nb::gil_scoped_release release;
            self.writer.finish(span_of(source_bytes), span_of(source_start), span_of(target_bytes),
                               span_of(target_start));
          },
          "source_bytes"_a.noconvert(), "source_start"_a.noconvert(), "target_bytes"_a.noconvert(),
          "target_start"_a.noconvert(), "Writes the files, with the words of both sides.")
      .def("__len__", [](const RuleTableWriterHandle& self) { return self.writer.size(); });
}

void bind_table(nb::module_& m) {
  nb::class_<RuleTableHandle>(m, "RuleTable", "A table of rules in mapped files.")
      .def(
          "__init__",
          [](RuleTableHandle* self, std::map<std::string, Bytes> files) {
            RuleTable table(spans_of(files));
            new (self) RuleTableHandle{std::move(files), std::move(table)};
          },
          "files"_a)
      .def("__len__", [](const RuleTableHandle& self) { return self.table.size(); })
      .def_prop_ro("num_ids",
                   [](const RuleTableHandle& self) { return self.table.layout().num_ids; })
      .def_prop_ro("shape",
                   [](const RuleTableHandle& self) {
                     return std::pair(self.table.layout().labels, self.table.layout().features);
                   })
      .def(
          "source",
          [](const RuleTableHandle& self, std::int64_t rule) {
            std::vector<std::int32_t> source;
            self.table.read_source(checked(self.table, rule), source);
            return source;
          },
          "rule"_a, "The symbols of a rule's source.")
      .def(
          "rule",
          [](const RuleTableHandle& self, std::int64_t rule) {
            RuleBuffer found;
            const std::uint64_t number = checked(self.table, rule);
            self.table.read(number, found);
            std::vector<std::pair<int, int>> links;
            for (const RuleLink link : found.links) links.emplace_back(link.source, link.target);
            return std::tuple(found.left, std::move(found.target), std::move(links),
                              std::tuple(found.count, found.source_count, found.target_count),
                              std::move(found.features), found.sentence, self.table.id(number));
          },
          "rule"_a, "Left label, target, links, counts, features, sentence and id of a rule.")
      .def(
          "find",
          [](const RuleTableHandle& self, const std::vector<std::int32_t>& source) {
            const RuleRange range = self.table.rules(self.table.find(source));
            return std::pair(range.first, range.last);
          },
          "source"_a, "The first of the rules of a source, and behind the last.")
      .def(
          "ids",
          [](const RuleTableHandle& self, In<std::int64_t> rules) {
            std::vector<std::int64_t> found;
            {
              nb::gil_scoped_release release;
              found = self.table.ids(span_of(rules));
            }
            return taken(found);
          },
          "rules"_a.noconvert(), "The ids of rules.")
      .def(
          "feature_rows",
          [](const RuleTableHandle& self, In<std::int64_t> rules) {
            std::vector<float> found;
            {
              nb::gil_scoped_release release;
              found = self.table.feature_rows(span_of(rules));
            }
            return taken(found);
          },
          "rules"_a.noconvert(), "The features of rules, a row each.")
      .def(
          "rule_of",
          [](const RuleTableHandle& self, std::uint64_t id) { return self.table.rule_of(id); },
          "id"_a, "The rule of an id; behind the last one if there is none.")
      .def(
          "add_by_id",
          [](const RuleTableHandle& self, In<std::int64_t> ids, In<double> values,
             Out<double> out) {
            return self.table.add_by_id(span_of(ids), span_of(values), span_of(out));
          },
          "ids"_a.noconvert(), "values"_a.noconvert(), "out"_a.noconvert(), Release(),
          "Adds values to those of the rules of ids, which ascend; how many are not 0.")
      .def(
          "find_word",
          [](const RuleTableHandle& self, bool is_target, Bytes word) {
            return words_of(self.table, is_target).find(text_of(word));
          },
          "is_target"_a, "word"_a.noconvert(), "The number of a word; -1 if it has none.")
      .def(
          "word",
          [](const RuleTableHandle& self, bool is_target, std::uint64_t number) {
            const auto word = words_of(self.table, is_target)[number];
            return nb::bytes(word.data(), word.size());
          },
          "is_target"_a, "number"_a)
      .def(
          "num_words",
          [](const RuleTableHandle& self, bool is_target) {
            return words_of(self.table, is_target).size();
          },
          "is_target"_a)
      .def(
          "number_words",
          [](const RuleTableHandle& self, Bytes text) {
            NumberedText found;
            {
              nb::gil_scoped_release release;
              found = number_words(self.table.source_words(), text_of(text));
            }
            return std::pair(taken(found.ids), taken(found.start));
          },
          "text"_a.noconvert(), "Source words as numbers, and where lines begin.")
      .def(
          "options",
          [](const RuleTableHandle& self, Bytes text, std::size_t max_span, std::uint64_t limit) {
            OptionArrays found;
            {
              nb::gil_scoped_release release;
              const NumberedText sentence = number_words(self.table.source_words(), text_of(text));
              found = find_options(self.table, sentence.ids, max_span, limit);
            }
            return std::tuple(taken(found.begin), taken(found.end), taken(found.rule),
                              taken(found.target_start), taken(found.target),
                              taken(found.features));
          },
          "text"_a.noconvert(), "max_span"_a, "limit"_a,
          "Begin, end, rule, target_start, target and features of the options of a sentence.")
      .def(
          "matches",
          [](const RuleTableHandle& self, Bytes text, std::size_t max_span, std::size_t min_gap) {
            MatchArrays found;
            {
              nb::gil_scoped_release release;
              const NumberedText sentence = number_words(self.table.source_words(), text_of(text));
              found = find_matches(self.table, sentence.ids, max_span, min_gap);
            }
            return std::tuple(taken(found.begin), taken(found.end), taken(found.first),
                              taken(found.last), taken(found.gap_start), taken(found.gap_begin),
                              taken(found.gap_end));
          },
          "text"_a.noconvert(), "max_span"_a, "min_gap"_a,
          "Begin, end, first and last rule, gap_start, gap_begin and gap_end of all matches.")
      .def(
          "check", [](const RuleTableHandle& self) { self.table.check(); }, Release(),
          "Refuses what a writer never writes.");
}

void bind_filter(nb::module_& m) {
  nb::class_<TableFilter>(m, "TableFilter", "Finds the rules that sentences can use.")
      .def(
          "__init__",
          [](TableFilter* self, const RuleTableHandle& table) {
            new (self) TableFilter(table.table);
          },
          "table"_a, nb::keep_alive<1, 2>())
      .def(
          "add",
          [](TableFilter& self, Bytes text, int threads) { self.add(text_of(text), threads); },
          "text"_a.noconvert(), "threads"_a, Release(), "Sentences, one a line.")
      .def(
          "write",
          [](const TableFilter& self, RuleTableWriterHandle& writer, std::uint64_t limit) {
            self.write(writer.writer, limit);
          },
          "writer"_a, "limit"_a, Release(),
          "The first rules of each source that a sentence has, and the words they use.");
}

}  // namespace

void bind_rule_table(nb::module_& m) {
  bind_writer(m);
  bind_table(m);
  bind_filter(m);
}

}  // namespace rosewood::bind
